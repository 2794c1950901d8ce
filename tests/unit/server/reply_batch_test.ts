import { assertEquals } from "@std/assert/equals";
import { setImmediate } from "node:timers";
import { replyBatches } from "../../../lib/server/reply_batch.ts";

/** Calls the function for each name, a moment after the one before, and logs what happens. */
async function call(batch: () => Promise<void>, ...names: readonly string[]): Promise<string[]> {
  const events: string[] = [];
  const sent = [];
  for (const name of names) {
    events.push(`computed ${name}`);
    sent.push(batch().then(() => void events.push(`sent ${name}`)));
    // Long enough for a reply that waits for no other.
    for (let i = 0; i < 20; i++) await Promise.resolve();
  }
  await Promise.all(sent);
  return events;
}

Deno.test("the replies of one turn of the event loop leave after the last is computed", async () => {
  const expected = ["computed a", "computed b", "sent a", "sent b"];
  assertEquals(await call(replyBatches(), "a", "b"), expected);
});

Deno.test("a batch ends with its turn: a later reply is of another", async () => {
  const batch = replyBatches();
  const first = batch();
  await new Promise<void>((resolve) => void setImmediate(() => resolve()));
  await first;
  assertEquals(batch() === first, false);
  assertEquals(await call(batch, "c"), ["computed c", "sent c"]);
});
