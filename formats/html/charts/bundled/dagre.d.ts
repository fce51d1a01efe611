/**
 * The used part of Dagre.
 *
 * @module
 */

/** A point; those of nodes are their centres. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A directed graph with labels, in which several edges may join two nodes. */
export class Graph {
  constructor(options: { readonly multigraph: boolean });
  setGraph(label: Readonly<Record<string, unknown>>): Graph;
  setDefaultEdgeLabel(make: () => object): Graph;
  setNode(name: string, label: { readonly width: number; readonly height: number }): Graph;
  setEdge(from: string, to: string, label: object, name: string): Graph;
  graph(): { readonly width: number; readonly height: number };
  node(name: string): Point;
  edge(
    edge: { readonly v: string; readonly w: string; readonly name: string },
  ): { readonly points: readonly Point[] };
}

/** Places the nodes and the edges of a graph. */
export function layout(graph: Graph): void;
