/**
 * A collection for members that come and go often.
 *
 * @module
 */

/** Belongs to one bag at a time, which knows its place. */
export interface Bagged {
  /** Its position in the bag; -1 outside. */
  place: number;
}

/**
 * Members in no order. Unlike a `Set` it leaves no garbage: a set that is older than a garbage collection has
 * its tables among the old objects, and each table that it has replaced keeps its members, with all that they
 * refer to, until the next full collection.
 */
export class Bag<Member extends Bagged> {
  readonly #members: Member[] = [];

  get size(): number {
    return this.#members.length;
  }

  /** Returns the member. */
  add(member: Member): Member {
    member.place = this.#members.push(member) - 1;
    return member;
  }

  has(member: Member): boolean {
    return this.#members[member.place] === member;
  }

  /** False if it is not there. */
  delete(member: Member): boolean {
    if (!this.has(member)) return false;
    const last = this.#members.pop();
    if (last && last !== member) {
      last.place = member.place;
      this.#members[member.place] = last;
    }
    member.place = -1;
    return true;
  }

  /** The present members; they may leave while they are visited. */
  [Symbol.iterator](): IterableIterator<Member> {
    return [...this.#members].values();
  }

  clear(): void {
    for (const member of this) this.delete(member);
  }
}
