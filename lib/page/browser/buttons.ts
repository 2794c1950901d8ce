/**
 * Copy buttons and print buttons.
 *
 * @module
 */

import { one } from "./dom.ts";

/** Duration of the text "Copied" on a button, in milliseconds. */
const COPIED_MS = 2000;

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Browsers offer no clipboard over plain HTTP; fall back to the old command.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

/** Makes a button copy the text of an element. */
export function setUpCopyButton(button: HTMLElement, source: HTMLElement): void {
  const label = button.textContent;
  button.addEventListener("click", async () => {
    await copy(source.textContent ?? "");
    button.focus();
    button.textContent = "Copied";
    one("#announcement").textContent = "Copied";
    setTimeout(() => {
      button.textContent = label;
      one("#announcement").textContent = "";
    }, COPIED_MS);
  });
}

/** Makes a button print the sheet of a pairing; the browser's own command prints the page. */
export function setUpPrintButton(button: HTMLElement): void {
  const { classList } = document.documentElement;
  button.addEventListener("click", () => {
    classList.add("sheet");
    print();
  });
  addEventListener("afterprint", () => classList.remove("sheet"));
}
