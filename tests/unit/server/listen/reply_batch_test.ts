import { assertEquals } from "@std/assert/equals";
import { setImmediate } from "node:timers";
import { batchReplies } from "../../../../lib/server/listen/reply_batch.ts";

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(() => resolve()));
}

/** Sends requests, each a moment after the one before, and logs what happens to them. */
class Setup {
  readonly events: string[] = [];
  readonly #answer = batchReplies(async ({ url }) => {
    if (url.endsWith("/slow")) await nextTurn();
    this.events.push(`computed ${new URL(url).pathname}`);
    return new Response();
  });

  async send(...paths: readonly string[]): Promise<void> {
    const sent = [];
    for (const path of paths) {
      const replied = this.#answer(new Request(`http://localhost${path}`));
      sent.push(replied.then(() => void this.events.push(`sent ${path}`)));
      // Long enough for a reply that waits for no other.
      for (let i = 0; i < 20; i++) await Promise.resolve();
    }
    await Promise.all(sent);
  }
}

Deno.test("the replies of one turn of the event loop leave after the last is computed", async () => {
  const setup = new Setup();
  await setup.send("/a", "/b");
  assertEquals(setup.events, ["computed /a", "computed /b", "sent /a", "sent /b"]);
});

Deno.test("a reply does not wait for one that takes longer", async () => {
  const setup = new Setup();
  await setup.send("/slow", "/b");
  assertEquals(setup.events.filter(isSent), ["sent /b", "sent /slow"]);
});

Deno.test("a batch ends: replies of later turns leave too", async () => {
  const setup = new Setup();
  for (const path of ["/a", "/b", "/c"]) await setup.send(path);
  assertEquals(setup.events.filter(isSent), ["sent /a", "sent /b", "sent /c"]);
});

function isSent(event: string): boolean {
  return event.startsWith("sent");
}
