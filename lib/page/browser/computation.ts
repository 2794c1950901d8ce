/**
 * Computation of the current code, step by step (RFC 4226 §5.3 and §5.4).
 *
 * @module
 */

import type { HmacOfCounter } from "../../otp/import_hmac.ts";
import { codeOf, timeStep, type TotpParameters, truncated } from "../../otp/totp.ts";
import { all, setText, textElement } from "./dom.ts";

/**
 * Shows how the code of a moment comes about.
 *
 * @param macOf HMAC under the secret; undefined without one, which shows dashes.
 */
export async function showComputation(
  macOf: HmacOfCounter | undefined,
  { period, digits }: TotpParameters,
  nowMs: number,
): Promise<void> {
  const seconds = Math.floor(nowMs / 1000);
  const step = timeStep(nowMs, period);
  show("seconds", String(seconds));
  show("step", String(step));
  if (macOf === undefined) {
    for (const part of ["mac", "offset", "taken", "number", "code"]) show(part, "-");
    return;
  }
  const mac = await macOf(step);
  const offset = mac.at(-1)! & 0xf;
  const number = truncated(mac);
  const bytes = [...mac].map((byte) => byte.toString(16).padStart(2, "0"));
  const taken = bytes.slice(offset, offset + 4).join(" ");
  for (const place of all("[data-part=mac]")) {
    place.replaceChildren(
      `${bytes.slice(0, offset).join(" ")} `,
      textElement("mark", taken),
      ` ${bytes.slice(offset + 4).join(" ")}`,
    );
  }
  show("offset", String(offset));
  show("taken", taken);
  show("number", String(number));
  show("code", codeOf(mac, digits));
}

function show(part: string, text: string): void {
  for (const place of all(`[data-part=${part}]`)) setText(place, text);
}
