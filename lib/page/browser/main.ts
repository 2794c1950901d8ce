/**
 * The script of the service page. The page works without it; with it, the picture follows the
 * fields, and requests and replies are seen as they go over the wire.
 *
 * @module
 */

import { setUpCopyButton, setUpFormatTab } from "./buttons.ts";
import { startClocks } from "./clock.ts";
import { all } from "./dom.ts";
import { setUpForm } from "./forms.ts";

document.documentElement.classList.add("js");
for (const button of all("[data-copy]")) setUpCopyButton(button);
for (const button of all(".print")) button.addEventListener("click", () => print());
for (const tab of all<HTMLInputElement>("#calls input")) setUpFormatTab(tab);
for (const form of all<HTMLFormElement>("form")) setUpForm(form);
startClocks();
