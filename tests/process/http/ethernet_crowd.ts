/**
 * A crowd that takes nothing, behind an Ethernet link without segmentation offload: the system keeps less of
 * an answer there than on loopback. `near ADAPTER TARGET` runs in a network namespace of its own, writes
 * {@link Figures} as JSON, and starts the clients in another one: `far PORT TARGET`.
 *
 * @module
 */

import { memory, startProcess } from "@/tests/support/process.ts";
import { until } from "@/tests/support/until.ts";

/** Megabytes before the crowd and while it waits; its clients by the status of their answers. */
export interface Figures {
  readonly before: number;
  readonly during: number;
  readonly statuses: Readonly<Record<string, number>>;
}

const CROWD = 1000;
const AT_ONCE = 50;
const ADDRESS = "10.9.0.1";

if (import.meta.main) {
  const [role, first = "", target = ""] = Deno.args;
  if (role === "near") await print(await measure(first, target));
  else await ask(Number(first), target);
}

async function print(value: unknown): Promise<void> {
  await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(value)));
}

async function ip(text: string): Promise<boolean> {
  return (await new Deno.Command("ip", { args: text.split(" ") }).output()).success;
}

async function measure(adapter: string, target: string): Promise<Figures> {
  await ip("link set lo up");
  await ip("link add near mtu 1500 gso_max_segs 1 type veth peer name far mtu 1500 gso_max_segs 1");
  await ip(`addr add ${ADDRESS}/24 dev near`);
  await ip("link set near up");
  await using service = await startProcess({ args: ["--adapter", adapter, "--host", "0.0.0.0"] });
  await (await service.fetch(target)).arrayBuffer();
  const before = memory(service);
  const program = [Deno.execPath(), "run", "-A", "--no-check", import.meta.filename ?? ""];
  const crowd = new Deno.Command("unshare", {
    args: ["-n", ...program, "far", String(service.port), target],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const namespace = (process: number | "self") => Deno.readLinkSync(`/proc/${process}/ns/net`);
  await until(() => namespace(crowd.pid) !== namespace("self"));
  await ip(`link set far netns ${crowd.pid}`);
  let during = before;
  const watch = setInterval(() => during = Math.max(during, memory(service)), 200);
  const output = crowd.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "{}" } = await output.read();
  clearInterval(watch);
  await crowd.stdin.close();
  await crowd.status;
  return { before, during, statuses: JSON.parse(value) };
}

/** Asks, and takes nothing but the status. Leaves when the standard input ends. */
async function ask(port: number, target: string): Promise<void> {
  await until(() => ip("addr add 10.9.0.2/24 dev far"));
  await ip("link set far up");
  const request = new TextEncoder().encode(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const connections: Deno.Conn[] = [];
  const statuses: Record<string, number> = {};
  const askOnce = async () => {
    const connection = await Deno.connect({ hostname: ADDRESS, port });
    connections.push(connection);
    await connection.write(request);
    const head = new Uint8Array("HTTP/1.1 200".length);
    await connection.read(head);
    const status = new TextDecoder().decode(head).slice(-3);
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  while (connections.length < CROWD) await Promise.all(Array.from({ length: AT_ONCE }, askOnce));
  await print(statuses);
  await Deno.stdin.read(new Uint8Array(1));
  for (const connection of connections) connection.close();
}
