/**
 * Script of the service page. The page works without it; the script updates the picture while the
 * user types, shows requests and replies as sent, and explains wrong pins.
 *
 * @module
 */

import { computes } from "../../otp/import_hmac.ts";
import { isInTheClear } from "../shared/address.ts";
import { setUpCopyButton, setUpPrintButton } from "./buttons.ts";
import { all, one, showAddress } from "./dom.ts";
import { setUpForm, setUpKey, showWhole } from "./forms.ts";
import { PageState } from "./page_state.ts";
import { followScrolling, setUpPanes } from "./panes.ts";
import { fitPictures } from "./qr_code.ts";
import { followForms } from "./request.ts";
import { setUpTestAuthenticator, showCodes } from "./test_authenticator.ts";

const state = new PageState();

// The browser alone knows the scheme of the page, with a proxy in front.
function showConnection(): void {
  const base = `${location.protocol}//${location.host}/`;
  document.body.dataset["inTheClear"] = String(isInTheClear(base));
  const computesCodes = computes(state.settings.algorithm);
  for (const sentence of all(".without-webcrypto")) sentence.hidden = computesCodes;
  for (const list of all(".live")) list.classList.toggle("off", !computesCodes);
}

/** Scrolls to the section of the operation in the address, unless a fragment names another place. */
function showOperation(): void {
  const [, operation] = [...new URLSearchParams(location.search)]
    .findLast(([key]) => key.toLowerCase() === "op") ?? [];
  if (operation && location.hash === "") document.getElementById(operation)?.scrollIntoView();
}

function fitToSize(): void {
  fitPictures();
  showWhole();
  followScrolling();
}

showConnection();
showAddress();
setUpPanes();
for (const button of all("[data-copy]")) {
  setUpCopyButton(button, one(`#${button.dataset["copy"]}`));
}
for (const button of all(".print")) setUpPrintButton(button);
for (const box of all(".test-app")) setUpTestAuthenticator(state, box);
for (const form of all<HTMLFormElement>("form")) setUpForm(state, form);
for (const field of all<HTMLInputElement>("#key")) setUpKey(state, field);
followForms();
showWhole();
followScrolling();
state.clock.start(() => showCodes(state));
showOperation();
addEventListener("change", followScrolling);
addEventListener("resize", fitToSize);
for (const details of all("details")) details.addEventListener("toggle", fitToSize);
