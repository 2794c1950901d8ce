/**
 * A steady load: so many requests a second, whatever becomes of them.
 *
 * @module
 */

/** What became of the requests. */
export interface Count {
  /** How many were sent. */
  readonly sent: number;
  /** How many ended how: a status, or the name of an error. */
  readonly outcomes: Readonly<Record<string, number>>;
}

const PAIRS = "pin=123456&secretCode=correct%20horse%20battery%20staple";
const TICK_MS = 2;

/**
 * Sends requests until it is told to stop, each of them in its turn by GET and by POST.
 *
 * @param url The address of ValidatePin.
 * @param perSecond How many.
 */
export async function steadyLoad(
  url: string,
  perSecond: number,
  stop: AbortSignal,
): Promise<Count> {
  const outcomes: Record<string, number> = {};
  const pending = new Set<Promise<void>>();
  const start = performance.now();
  let sent = 0;
  while (!stop.aborted) {
    const due = (performance.now() - start) * perSecond / 1000;
    for (; sent < due; sent++) {
      const request = one(url, sent).then((outcome) => {
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

async function one(url: string, number: number): Promise<string> {
  try {
    const reply = await (number % 2 === 0 ? fetch(`${url}?${PAIRS}`) : fetch(url, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: PAIRS,
    }));
    await reply.text();
    return String(reply.status);
  } catch (error) {
    return error instanceof Error ? `${error.message}: ${error.cause}` : "failed";
  }
}
