/** A case: a request made from its number alone, and what is known of it. */

import { pick } from "../support/random.ts";
import { type FuzzCall, makeCall } from "./call.ts";
import { caseRandom } from "./numbers.ts";
import { type House, HOUSES } from "./house.ts";
import { mutateRequest } from "./mutations.ts";
import type { FuzzRequest } from "./request.ts";
import { writeCall, writeQuestion } from "./writers.ts";

/** A case. */
export interface FuzzCase {
  /** The server that the request goes to. */
  readonly house: House;
  /** The call that the request was made from. */
  readonly call: FuzzCall;
  /** The request. */
  readonly request: FuzzRequest;
  /** Whether the request is the call as it was written, so that it must succeed. */
  readonly isLegal: boolean;
  /** Whether it was made from a call with a right pin. */
  readonly fromRightPin: boolean;
}

/** Makes a case. */
export function makeCase(
  seed: number,
  number: number,
  nowMs: number,
  houses: readonly House[] = HOUSES,
): FuzzCase {
  const random = caseRandom(seed, number);
  const house = pick(random, houses);
  const call = makeCall(random, house, nowMs);
  if (random(5) === 0) {
    const request = writeCall(call, random, house);
    return { house, call, request, isLegal: true, fromRightPin: call.isRight };
  }
  const write = (call: FuzzCall): FuzzRequest =>
    (random(8) === 0 ? writeQuestion : writeCall)(call, random, house);
  const { canary } = call;
  const otherCall = makeCall(random, house, nowMs);
  const context = { canary, other: write(otherCall) };
  const request = mutateRequest(write(call), random, context);
  const fromRightPin = call.isRight || otherCall.isRight;
  return { house, call, request, isLegal: false, fromRightPin };
}
