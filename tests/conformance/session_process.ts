/**
 * Another process that has the sessions of a place: it opens one, prints its ticket, resumes those that it is
 * given, counts in the details of the last one, and ends when its input does.
 *
 * @module
 */

import type { SessionDetails } from "@/plugins/contract.ts";
import { openSessionsAt, userNamed } from "@/tests/conformance/session_place.ts";

const [place = "{}", clock = "0"] = Deno.args;
const users = new Map([["anna", userNamed("anna")]]);
await using sessions = await openSessionsAt(JSON.parse(place), { users, now: () => Number(clock) });

const print = (line: unknown) => Deno.stdout.write(new TextEncoder().encode(`${JSON.stringify(line)}\n`));

async function answer(line: string): Promise<unknown> {
  const [command, ticket = ""] = line.split(" ");
  switch (command) {
    case "open":
      return (await sessions.open([...users.values()][0] ?? userNamed("anna"), { method: "basic" })).ticket;
    case "resume":
      return (await sessions.resume(ticket))?.session.login ?? null;
    case "close":
      return await sessions.close(ticket) ?? null;
    case "count":
      for (let round = 0; round < 25; round++) await sessions.update(ticket, increment);
      return null;
    default:
      throw new Error(`Unknown command ${command}`);
  }
}

function increment(details: SessionDetails): SessionDetails {
  return { ...details, count: Number(details["count"] ?? 0) + 1 };
}

let rest = "";
for await (const piece of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  rest += piece;
  for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
    await print(await answer(rest.slice(0, end)));
    rest = rest.slice(end + 1);
  }
}
