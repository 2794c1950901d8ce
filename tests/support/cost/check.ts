/**
 * What a dear request must not do, whatever answers it.
 *
 * @module
 */

import type { Server } from "../replay.ts";
import { type CostGroup, largestReply } from "./groups.ts";
import type { DearRequest } from "./request.ts";

// A deadline and no measure: a thousand times what the dearest takes, for a machine that is busy.
const DEADLINE_MS = 10_000;

// No 413 and no 414: every request stays within the limits.
const STATUSES = [200, 400, 401, 404, 415, 500];

/** Sends a dear request in some size and says what is wrong with its reply; nothing when all is well. */
export async function complaints(
  server: Server,
  group: CostGroup,
  { of, make }: DearRequest,
  size: number,
): Promise<readonly string[]> {
  const sent = make(size);
  const start = performance.now();
  const { status, body } = await server.send(sent);
  const tookMs = performance.now() - start;
  const most = largestReply(group, sent);
  const failed = new TextDecoder().decode(body).includes("Server was unable to process");
  return [
    ...(STATUSES.includes(status) ? [] : [`${of}: status ${status}`]),
    ...(failed ? [`${of}: an error of ours`] : []),
    ...(body.length <= most ? [] : [`${of}: ${body.length} bytes, ${most} allowed`]),
    ...(tookMs <= DEADLINE_MS ? [] : [`${of}: more than ${DEADLINE_MS} ms`]),
  ];
}
