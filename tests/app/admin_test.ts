import { assertEquals } from "@std/assert/equals";
import { adminHandler, type AdminOptions } from "../../lib/app/admin.ts";
import { fingerprintBy, shortName } from "../../lib/guard/fingerprint.ts";
import type { Guard, GuardMemory } from "../../lib/guard/guard.ts";
import { createMemoryStore } from "../../lib/guard/memory_store.ts";

const SECRET = "MYSECRETMYSECRET";
const RULES = { maxFailures: 1, singleUse: false, forgetUseMs: 1 };
const FIGURES = { wrongPins: 9, attackedSecrets: 3, throttledSecrets: 2, mostPins: 5 };
const TOP = Array.from({ length: 12 }, (_, i) => ({ secret: `s${i}`, pins: 12 - i }));
const WATCH = { figures: () => FIGURES, top: (count: number) => TOP.slice(0, count) };

interface Scene {
  readonly ask: (method: string, path: string, body?: string) => Promise<readonly [number, string]>;
  readonly guard: Guard & { readonly memory?: GuardMemory | undefined };
}

function scene(options: Partial<AdminOptions> = {}): Scene {
  const store = createMemoryStore({ rules: RULES, now: () => 0 });
  const fingerprint = fingerprintBy(new Uint8Array(32).fill(7), "SHA1");
  const guard = { fingerprint, source: () => "", store, memory: store };
  const handler = adminHandler({ guard, secretEncoding: "text", watch: WATCH, ...options });
  const ask: Scene["ask"] = async (method, path, body) => {
    const request = new Request(`http://localhost${path}`, { method, body: body ?? null });
    const reply = await handler(request);
    if (reply.ok) assertEquals(reply.headers.get("cache-control"), "no-store");
    return [reply.status, await reply.text()];
  };
  return { ask, guard };
}

Deno.test("adminHandler() says what is remembered here, and the ten secrets with the most pins", async () => {
  const { ask, guard } = scene();
  const expected = { attackedSecrets: 3, throttledSecrets: 2, top: TOP.slice(0, 10) };
  const status = async ({ ask }: Scene): Promise<unknown> =>
    JSON.parse((await ask("GET", "/status"))[1]);
  assertEquals(await status({ ask, guard }), { entries: 0, ...expected });
  guard.store.decide("a", undefined);
  assertEquals(await status({ ask, guard }), { entries: 1, ...expected });
  // What others share, and what is not there, is not counted here.
  assertEquals(await status(scene({ guard: { ...guard, memory: undefined } })), expected);
  assertEquals(await status(scene({ guard: undefined })), expected);
});

Deno.test("adminHandler() names a secret as the log does, and lifts its wait", async () => {
  const { ask, guard } = scene();
  const fingerprint = guard.fingerprint(new TextEncoder().encode(SECRET));
  const name = shortName(fingerprint);
  guard.store.decide(fingerprint, undefined);
  assertEquals(guard.store.refusal(fingerprint), "throttled");
  assertEquals(await ask("POST", "/name", SECRET), [200, JSON.stringify({ name })]);
  assertEquals(guard.store.refusal(fingerprint), "throttled");
  const unlock = async (): Promise<unknown> =>
    JSON.parse((await ask("POST", "/unlock", SECRET))[1]);
  assertEquals(await unlock(), { name, wasKept: true });
  assertEquals([guard.store.refusal(fingerprint), await unlock()], [
    undefined,
    { name, wasKept: false },
  ]);
});

Deno.test("adminHandler() answers no other question, and repeats no secret", async () => {
  const { ask, guard } = scene();
  const unknown = [404, "it does not know this question"] as const;
  assertEquals(await ask("GET", "/"), unknown);
  assertEquals(await ask("GET", "/name"), unknown);
  assertEquals(await ask("POST", "/status", SECRET), unknown);
  assertEquals(await ask("PUT", "/unlock", SECRET), unknown);
  assertEquals(await ask("POST", "/unlock/", SECRET), unknown);
  const malformed = [400, "the secret is empty or malformed"] as const;
  assertEquals(await ask("POST", "/name", ""), malformed);
  const base32 = scene({ secretEncoding: "base32" });
  assertEquals(await base32.ask("POST", "/unlock", "canary!"), malformed);
  assertEquals(await scene({ guard: undefined }).ask("POST", "/name", SECRET), [
    409,
    "it checks every pin and refuses none",
  ]);
  const shared = scene({ guard: { ...guard, memory: undefined } });
  assertEquals((await shared.ask("POST", "/name", SECRET))[0], 200);
  assertEquals(await shared.ask("POST", "/unlock", SECRET), [
    409,
    "it keeps this in the store of --guard: give --guard and --guard-key-file",
  ]);
});
