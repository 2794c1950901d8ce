/**
 * What answers requests that call no operation: pictures, probes, metrics, and the way to the
 * service.
 *
 * @module
 */

import { FORM, readForm, readQuery } from "../bindings/form_urlencoded.ts";
import { charsetOf, parseMediaType } from "../bindings/media_type.ts";
import { qrPicture } from "../bindings/qr_aspx.ts";
import { type Answer, faultAnswer, faultReply, plainReply } from "./response.ts";
import { readBody } from "./body.ts";
import type { Answerer, Exchange } from "./exchange.ts";
import { asFault } from "./failure.ts";
import type { HandlerState } from "./options.ts";

/** Makes what answers by a function that may throw faults; they go out as a sentence of text. */
export function question(
  { log }: Pick<HandlerState, "log">,
  answer: (exchange: Exchange) => Answer | Promise<Answer>,
): Answerer {
  return {
    answer: async (exchange) => {
      try {
        exchange.admit();
        return await answer(exchange);
      } catch (error) {
        return faultAnswer(asFault(error, log));
      }
    },
    fail: faultReply,
  };
}

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

const OK: Answer = {
  reply: { status: 200, contentType: "text/plain; charset=utf-8", body: "ok" },
  outcome: "ok",
};
const NOT_READY: Answer = { reply: plainReply(503, "Not ready."), outcome: "not-ready" };

/** Whether the process lives. */
export function health(state: HandlerState): Answerer {
  return question(state, () => OK);
}

/** Whether the server takes new work. */
export function readiness(state: HandlerState): Answerer {
  return question(state, () => state.isReady() ? OK : NOT_READY);
}

/** The page of the metrics; undefined where the operator wants none. */
export function metrics(state: HandlerState): Answerer | undefined {
  const { metricsPage } = state;
  return metricsPage && question(state, () => ({
    reply: { status: 200, contentType: METRICS_TYPE, body: metricsPage() },
    outcome: "ok",
  }));
}

/**
 * Any text as a QR code. A form without a query holds the text in its body, so that a secret does not
 * have to stand in an address.
 */
export function picture(state: HandlerState): Answerer {
  const { bodyTimeoutMs: timeoutMs, bodyLimit: limit } = state;
  return question(state, async ({ request, target }) => {
    const mediaType = parseMediaType(request.headers.get("content-type"));
    const isForm = request.method === "POST" && target.query === "" && mediaType.essence === FORM;
    if (!isForm) return { reply: qrPicture(readQuery(target.query)), outcome: "ok" };
    const bytes = await readBody(request, mediaType, { mediaTypes: [FORM], timeoutMs, limit });
    return { reply: readForm(bytes, charsetOf(mediaType), qrPicture), outcome: "ok" };
  });
}

/** The way to the service. */
export function redirect(state: HandlerState): Answerer {
  // A proxy may have taken the front of the path off. Where no base URL tells what that was, a
  // reference that is relative to the path is right with it and without (RFC 9110 §10.2.2).
  const { baseUrl } = state;
  const headers = { location: baseUrl === undefined ? "api.asmx" : `${baseUrl}/api.asmx` };
  const reply = { ...plainReply(302, "See /api.asmx."), headers };
  const answer: Answer = { reply, outcome: "ok" };
  return question(state, () => answer);
}
