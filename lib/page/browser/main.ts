/**
 * Script of the service page. The page works without it; the script updates the picture while the
 * user types, shows requests and replies as sent, and explains wrong pins.
 *
 * @module
 */

import { isInTheClear } from "../shared/plain_http.ts";
import { setUpCopyButton, setUpPrintButton } from "./buttons.ts";
import { followChoices } from "./choices.ts";
import { all, one, showAddress } from "./dom.ts";
import { clearFaults, setUpForm, showWhole } from "./forms.ts";
import { PageState } from "./page_state.ts";
import { computes, setUpHmac } from "./plain_hmac.ts";
import { fitPictures } from "./qr_code.ts";
import { followForms } from "./request.ts";
import { setUpTestAuthenticator, showCodes } from "./test_authenticator.ts";

const state = new PageState();

function mountPart(part: HTMLElement): void {
  showAddress(part);
  for (const button of all("[data-copy]", part)) setUpCopyButton(button);
  followForms();
}

// The browser alone knows the scheme of the page, with a proxy in front.
function showConnection(): void {
  const address = `${location.protocol}//${location.host}/`;
  for (const warning of all(".in-the-clear")) warning.hidden = !isInTheClear(address);
  for (const sentence of all(".without-webcrypto")) {
    sentence.hidden = computes(sentence.dataset["algorithm"] ?? "");
  }
  for (const list of all(".live")) {
    list.classList.toggle("off", !computes(list.dataset["algorithm"] ?? ""));
  }
}

setUpHmac();
document.documentElement.classList.add("js");
showConnection();
mountPart(document.body);
for (const button of all(".print")) setUpPrintButton(button);
for (const box of all(".test-app")) setUpTestAuthenticator(box);
for (const form of all<HTMLFormElement>("form")) setUpForm(state, form);
for (const part of all(".keys")) {
  part.addEventListener("input", () => {
    clearFaults(part);
    followForms();
  });
}
showWhole();
state.clock.start(() => showCodes(state));
followChoices(state, mountPart);
// The section of the operation comes first, below warnings and the key.
if (document.body.dataset["op"] !== undefined && !document.URL.includes("#")) {
  one("main").scrollIntoView();
}
addEventListener("resize", () => {
  fitPictures();
  showWhole();
});
