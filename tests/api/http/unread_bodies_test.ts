import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:http2";
import { RawConnection } from "@/tests/support/raw_request.ts";
import { sharedService } from "@/tests/support/service.ts";

const services = {
  deno: sharedService({ args: ["--adapter", "deno"] }),
  node: sharedService({ args: ["--adapter", "node"] }),
};

/** Refused before the body is read. */
const REFUSED = [
  { method: "POST", target: "/db/Demo/Country.json", status: 403 },
  { method: "POST", target: "/db/Demo/Nope.json", status: 404 },
  { method: "DELETE", target: "/db.json", status: 405 },
  { method: "POST", target: "/version.txt", status: 405 },
];

for (const [adapter, service] of Object.entries(services)) {
  for (const { method, target, status } of REFUSED) {
    Deno.test(`a body that nobody reads does not cost the connection: ${method} ${target} (${adapter})`, async () => {
      using connection = await RawConnection.open(service().port);
      const answer = await connection.send({
        method,
        target,
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ Name: "x".repeat(20_000) }),
        // The service has seen the head, and may have answered, when the body comes.
        beforeBody: async () => await (await service().fetch("/healthz")).text(),
      });
      assert.equal(answer.status, status);
      assert.notEqual(answer.headers.get("connection"), "close");
      assert.equal((await connection.send({ target: "/version.txt" })).status, 200);
    });
  }

  Deno.test(`an answer does not wait for a body that never comes (${adapter})`, async () => {
    using connection = await RawConnection.open(service().port);
    const { status } = await connection.send({
      method: "POST",
      target: "/db/Demo/Nope.json",
      headers: { "Content-Type": "application/json", "Content-Length": "1000" },
    });
    assert.equal(status, 404);
  });
}

for (const method of ["DELETE", "POST"]) {
  Deno.test(`a long body of HTTP/2 without a length is taken to its end: ${method} (deno)`, async () => {
    const client = connect(`http://127.0.0.1:${services.deno().port}`);
    try {
      const stream = client.request(
        { ":method": method, ":path": "/db/Demo/Amenity/AmenityId/1.json" },
        { endStream: false },
      );
      // More than a stream may have unread. Without its end some clients, such as curl, lose the answer.
      const sent = once(stream, "finish", { signal: AbortSignal.timeout(120_000) });
      stream.end(new Uint8Array(200_000));
      const [headers] = await once(stream, "response");
      assert.equal(headers[":status"], 403);
      stream.resume();
      await sent;
    } finally {
      client.destroy();
    }
  });
}
