/**
 * Test authenticator: codes of the secret in the form as an app shows them, computed in this
 * browser.
 *
 * @module
 */

import { computes, importHmac } from "../../otp/import_hmac.ts";
import { codeOf, timeStep } from "../../otp/totp.ts";
import { codePlaceholder, inGroups } from "../shared/code_groups.ts";
import { all, first, one, setText } from "./dom.ts";
import { showComputation } from "./computation.ts";
import type { PageState } from "./page_state.ts";
import { keyIn } from "./secret_kind.ts";

/** Makes the buttons put a code into the form. */
export function setUpTestAuthenticator({ settings }: PageState, box: HTMLElement): void {
  const form = formOf(box);
  one(".codes", box).hidden = !computes(settings.algorithm);
  for (const button of all<HTMLButtonElement>("[data-step]", box)) {
    button.addEventListener("click", () => {
      const field = one<HTMLInputElement>("input[name=pin]", form);
      field.value = one(".code", button).textContent!.replace(/ /g, "");
      field.dispatchEvent(new Event("input", { bubbles: true }));
      one<HTMLButtonElement>("button[type=submit]", form).focus();
    });
  }
}

function formOf(box: HTMLElement): HTMLFormElement {
  return one<HTMLFormElement>("form", box.closest<HTMLElement>(".operation")!);
}

/** Shows the current codes on the visible test authenticator. */
export function showCodes(state: PageState): void {
  const box = first(".codes:not([hidden])");
  if (box !== undefined) void showCodesIn(state, box);
}

async function showCodesIn(state: PageState, box: HTMLElement): Promise<void> {
  const { algorithm, digits, period } = state.settings;
  const secret = one<HTMLInputElement>("input[name=secretCode]", formOf(box)).value;
  if (state.testKey?.secret !== secret) {
    const bytes = keyIn(secret, state.settings);
    const hmac = bytes ? importHmac(bytes, algorithm) : Promise.resolve(undefined);
    state.testKey = { secret, hmac };
  }
  const macOf = await state.testKey.hmac;
  if (state.testKey.secret !== secret) return;
  const nowMs = state.clock.nowMs();
  const step = timeStep(nowMs, period);
  void showComputation(macOf, state.settings, nowMs);
  box.classList.toggle("no-secret", macOf === undefined);
  one(".left-arc", box).setAttribute(
    "stroke-dasharray",
    macOf === undefined ? "0 1" : `${1 - nowMs / 1000 / period % 1} 1`,
  );
  for (const button of all<HTMLButtonElement>("[data-step]", box)) {
    const counter = step + Number(button.dataset["step"]);
    const code = macOf && counter >= 0 ? codeOf(await macOf(counter), digits) : "";
    if (state.testKey.secret !== secret) return;
    button.disabled = code === "";
    setText(one(".code", button), code === "" ? codePlaceholder(digits) : inGroups(code));
  }
}
