import { assertEquals } from "@std/assert/equals";

/** The part of the page's clock that needs no page. */
interface ServerClock {
  read(reply: Response, sentMs: number): void;
  nowMs(): number;
  aheadSeconds(): number;
  timeShown(): string;
}

// Its types are those of a browser, which no test of the gate has: it is loaded by name.
const place = import.meta.resolve("../../../lib/page/browser/clock.ts");
const { Clock }: { readonly Clock: new (period: number) => ServerClock } = await import(place);

/** A reply with a Date. */
function replyAt(date: string): Response {
  return new Response("", { headers: { date } });
}

Deno.test("the page's clock takes the middle of the second that a reply names, half-way of the request", () => {
  const { now } = Date;
  const second = Date.parse("2026-01-31T12:00:00Z");
  try {
    for (const aheadMs of [0, 90_000, -3_600_000]) {
      // Sent a second before the reply came: the server wrote it half a second ago.
      Date.now = () => second + 1_000 + aheadMs;
      const clock = new Clock(30);
      assertEquals([clock.nowMs(), clock.aheadSeconds()], [Date.now(), 0]);
      clock.read(new Response(""), 0);
      assertEquals([clock.nowMs(), clock.aheadSeconds()], [Date.now(), 0]);
      clock.read(replyAt(new Date(second).toUTCString()), second + aheadMs);
      assertEquals(clock.nowMs(), second + 1_000);
      assertEquals(clock.aheadSeconds(), aheadMs / 1_000);
      assertEquals(clock.timeShown(), "12:00:01");
    }
  } finally {
    Date.now = now;
  }
});
