/**
 * Script of the service page. The page works without it; the script updates the picture while the
 * user types, shows requests and replies as sent, and explains wrong pins.
 *
 * @module
 */

import { isInTheClear } from "../shared/plain_http.ts";
import { showAddress } from "./address.ts";
import { setUpCopyButton, setUpPrintButton, setUpTab } from "./buttons.ts";
import { all } from "./dom.ts";
import { followForm, setUpForm, showLengthWarning, showWhole } from "./forms.ts";
import { PageState } from "./page_state.ts";
import { restore, setUpKey, warnBeforeUnload } from "./typed_values.ts";
import { computes, setUpHmac } from "./plain_hmac.ts";
import { followLinks, showSnippets } from "./navigation.ts";
import { fitPictures } from "./qr_code.ts";
import { setUpTestAuthenticator, showCodes } from "./test_authenticator.ts";

const page = document.documentElement;
const state = new PageState();

function mount(): void {
  page.classList.remove("paired");
  // With a proxy in front, only the browser knows the scheme of the page.
  const address = `${location.protocol}//${location.host}/`;
  for (const warning of all(".in-the-clear")) warning.hidden = !isInTheClear(address);
  for (const sentence of all(".elsewhere")) {
    sentence.hidden = computes(sentence.dataset["algorithm"] ?? "");
  }
  showAddress(document);
  restore(state);
  for (const button of all(".print")) setUpPrintButton(state, button);
  mountPanes(document);
  for (const box of all(".test-app")) setUpTestAuthenticator(state, box);
  for (const form of all<HTMLFormElement>("form")) setUpForm(state, form);
  setUpKey(state, followForm);
  followForm();
  showWhole();
  showLengthWarning();
  state.clock.tick();
}

function mountPanes(part: ParentNode): void {
  for (const button of all("[data-copy]", part)) setUpCopyButton(state, button);
  for (const tab of all<HTMLInputElement>(".tabs input", part)) {
    setUpTab(state, tab, (format) => void showSnippets(state, format, mountSnippets));
  }
}

function mountSnippets(section: HTMLElement): void {
  showAddress(section);
  mountPanes(section);
  followForm();
}

setUpHmac();
page.classList.add("js");
state.clock.everySecond(() => showCodes(state));
mount();
state.clock.start();
warnBeforeUnload(state);
followLinks(state, mount);
addEventListener("resize", () => {
  fitPictures();
  showWhole();
});
