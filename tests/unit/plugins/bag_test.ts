import assert from "node:assert/strict";
import { Bag } from "@/plugins/kit/bag.ts";

const member = (name: string) => ({ name, place: -1 });
const namesOf = (bag: Bag<ReturnType<typeof member>>) => [...bag].map(({ name }) => name).toSorted().join("");

Deno.test("a bag has the members that were added and not deleted", () => {
  const bag = new Bag<ReturnType<typeof member>>();
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => bag.add(member(name)));
  assert.ok(a && b && c && d);
  assert.equal(bag.delete(a), true);
  assert.equal(bag.delete(a), false);
  assert.equal(namesOf(bag), "bcd");
  assert.deepEqual([a, b, c, d].map((each) => bag.has(each)), [false, true, true, true]);
  assert.equal(bag.delete(d), true);
  bag.add(a);
  assert.equal(namesOf(bag), "abc");
  assert.equal(bag.size, 3);
  bag.clear();
  assert.equal(bag.size, 0);
  assert.equal(bag.delete(b), false);
  bag.add(b);
  assert.equal(namesOf(bag), "b");
});

Deno.test("members may leave while a bag is read", () => {
  const bag = new Bag<ReturnType<typeof member>>();
  for (const name of "abc") bag.add(member(name));
  const seen: string[] = [];
  for (const each of bag) {
    seen.push(each.name);
    bag.delete(each);
  }
  assert.deepEqual([seen.join(""), bag.size], ["abc", 0]);
});

Deno.test("a bag of another owner's member does not have it", () => {
  const [one, other] = [new Bag<ReturnType<typeof member>>(), new Bag<ReturnType<typeof member>>()];
  const a = one.add(member("a"));
  other.add(member("b"));
  assert.equal(other.delete(a), false);
  assert.equal(namesOf(other), "b");
});
