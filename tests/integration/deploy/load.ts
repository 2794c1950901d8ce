/**
 * A steady load: so many requests a second, as long as the other side keeps up.
 *
 * @module
 */

/** What became of the requests. */
export interface Count {
  /** How many were sent. */
  readonly sent: number;
  /** Counts by result: a status, `lost`, or the message of an error. */
  readonly outcomes: Readonly<Record<string, number>>;
}

/** How much is sent. */
export interface Load {
  /** How many requests a second; fewer where that would leave too many unanswered. */
  readonly perSecond: number;
  /** The least number of requests before a stop; none unless given. */
  readonly least?: number;
  /** How many may be unanswered at once. */
  readonly atOnce: number;
  /** After how many milliseconds a request counts as lost. */
  readonly patienceMs: number;
}

const PAIRS = "pin=123456&secretCode=correct%20horse%20battery%20staple";
const TICK_MS = 2;

/**
 * Sends requests until it is stopped and has sent enough, each of them in its turn by GET and
 * by POST, and waits until each has ended.
 *
 * @param url The address of ValidatePin.
 */
export async function steadyLoad(
  url: string,
  { perSecond, least = 0, atOnce, patienceMs }: Load,
  stop: AbortSignal,
): Promise<Count> {
  const outcomes: Record<string, number> = {};
  const pending = new Set<Promise<void>>();
  const start = performance.now();
  let sent = 0;
  while (!stop.aborted || sent < least) {
    const due = (performance.now() - start) * perSecond / 1000;
    for (; sent < due && pending.size < atOnce; sent++) {
      const request = one(url, sent, patienceMs).then((outcome) => {
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
        pending.delete(request);
      });
      pending.add(request);
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  await Promise.all(pending);
  return { sent, outcomes };
}

async function one(url: string, number: number, patienceMs: number): Promise<string> {
  const signal = AbortSignal.timeout(patienceMs);
  try {
    const reply = await (number % 2 === 0 ? fetch(`${url}?${PAIRS}`, { signal }) : fetch(url, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: PAIRS,
      signal,
    }));
    await reply.text();
    return String(reply.status);
  } catch (error) {
    if (!(error instanceof Error)) return "failed";
    return error.name === "TimeoutError" ? "lost" : `${error.message}: ${error.cause}`;
  }
}
