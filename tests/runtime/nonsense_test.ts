import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { check, pinOf, readiness, startServer, stop, wrongPinOf } from "../redis/two_servers.ts";
import { eventually } from "../support/eventually.ts";
import { honest, NONSENSE, startFuzzedStore } from "../support/fuzzed_store.ts";
import { descriptorCount, residentBytes } from "../support/process.ts";
import { seededRandom } from "../support/random.ts";

const SEED = 20_260_902;

// Each has a connection of its own, and the next may have another.
const CHECKS_AT_ONCE = 6;

// Far above what a server takes, and far below what the store would make it take.
const MAX_RESIDENT_BYTES = 600_000_000;

Deno.test("a server outlives a store that speaks nonsense, and takes no wrong pin for right", async () => {
  const random = seededRandom(SEED);
  const left = [...NONSENSE.keys()];
  const store = startFuzzedStore((question) => {
    const [kind] = left.splice(random(left.length), 1);
    return kind === undefined
      ? { pieces: [honest(question)] }
      : NONSENSE.get(kind)!(question, random);
  });
  const keyFile = Deno.makeTempFileSync();
  Deno.writeTextFileSync(keyFile, "k".repeat(32));
  const server = await startServer(`${store.url}?timeout=500`, keyFile);
  await eventually(async () => await readiness(server) === 200);
  const before = descriptorCount(server.pid);
  await eventually(async () => {
    const checks = Array.from({ length: CHECKS_AT_ONCE }, (_, i) => {
      const secret = `secret ${i} of seed ${SEED}`;
      return check(server, i % 2 ? pinOf(secret) : wrongPinOf(secret), secret);
    });
    const answers = await Promise.all(checks);
    for (const [i, answer] of answers.entries()) {
      assert(answer === "False" || (i % 2 === 1 && answer === "True"), answer);
    }
    return left.length === 0;
  });
  await eventually(async () => await readiness(server) === 200);
  // The store is this process, which a busy machine may keep from answering in half a second.
  await eventually(async () => await check(server, pinOf("a"), "a") === "True");
  assertEquals(await check(server, wrongPinOf("a"), "a"), "False");
  if (Deno.build.os === "linux") {
    const bytes = residentBytes(server.pid);
    assert(bytes < MAX_RESIDENT_BYTES, `${bytes} bytes are resident`);
    await eventually(() => descriptorCount(server.pid) <= before + 2 * CHECKS_AT_ONCE);
  }
  await stop(server);
  store.close();
  const { code, stderr } = await server.outcome;
  assertEquals(code, 0, stderr);
  assert(!/ error |Uncaught/.test(stderr), stderr);
  assert(stderr.includes("does not speak the Redis protocol"), stderr);
  Deno.removeSync(keyFile);
});
