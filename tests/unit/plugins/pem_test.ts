import assert from "node:assert/strict";
import { join } from "node:path";
import { readPem } from "@/plugins/kit/pem.ts";

const PEM = "-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----\n";

Deno.test("a certificate is its text, or what is in the file", async () => {
  const file = await Deno.makeTempFile({ prefix: "rowhouse-pem-" });
  try {
    await Deno.writeTextFile(file, PEM);
    assert.equal(await readPem(PEM, "ssl.ca", "/nowhere"), PEM);
    assert.equal(await readPem("ca.pem", "ssl.ca", file), PEM);
  } finally {
    await Deno.remove(file);
  }
});

Deno.test("what is no regular file of at most 1 MiB is not read as a certificate", async () => {
  const directory = await Deno.makeTempDir({ prefix: "rowhouse-pem-" });
  try {
    const [pipe, large] = [join(directory, "pipe"), join(directory, "large")];
    await new Deno.Command("mkfifo", { args: [pipe] }).output();
    await Deno.writeFile(large, new Uint8Array(1_048_577));
    for (const file of [pipe, large, directory, "/dev/zero"]) {
      await assert.rejects(readPem("x.pem", "ssl.ca", file), {
        name: "TypeError",
        message: 'ssl.ca is no regular file of at most 1 MiB: "x.pem"',
      });
    }
    await assert.rejects(readPem("x.pem", "ssl.key", join(directory, "none")), /cannot be read: "x\.pem"$/);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
