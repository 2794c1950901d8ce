/** Generator of cases: requests, legal and changed, and what is known of them. */

import * as fc from "fast-check";
import { CALL, type FuzzCall } from "./calls.ts";
import type { House } from "./house.ts";
import { REQUEST_CHANGE } from "./mutations.ts";
import type { FuzzRequest } from "./request.ts";
import { WRITER } from "./writers.ts";

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

/** A case for one of some servers, at the time when it is made. */
export function fuzzCases(houses: readonly House[], now: () => number): fc.Arbitrary<FuzzCase> {
  const written = fc.tuple(CALL, WRITER);
  return fc.record({
    house: fc.constantFrom(...houses),
    mine: written,
    other: written,
    changes: fc.array(REQUEST_CHANGE, { maxLength: 3 }),
  }).map(({ house, changes, ...drawn }) => {
    const nowMs = now();
    const [call, otherCall] = [drawn.mine[0](house, nowMs), drawn.other[0](house, nowMs)];
    const [legal, other] = [drawn.mine[1](call, house), drawn.other[1](otherCall, house)];
    return {
      house,
      call,
      request: withCanary(changes.reduce((request, to) => to(request, other), legal), call.canary),
      isLegal: changes.length === 0,
      fromRightPin: call.isRight || otherCall.isRight,
    };
  });
}

function withCanary({ method, target, fields, body }: FuzzRequest, canary: string): FuzzRequest {
  const put = (text: string): string => text.replaceAll("CANARY", canary);
  return {
    method,
    target: put(target),
    fields: fields.map(([name, value]) => [put(name), put(value)]),
    body: put(body),
  };
}
