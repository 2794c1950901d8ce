/**
 * Copy buttons and print buttons.
 *
 * @module
 */

import { one } from "./dom.ts";

/** Duration of the text "Copied" on a button, in milliseconds. */
const TOLD_MS = 2000;

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

/** Makes a button copy the text of its pane, or of the element that it names. */
export function setUpCopyButton(button: HTMLElement): void {
  const label = button.textContent;
  button.addEventListener("click", async () => {
    const pane = button.closest("figure");
    const source = pane === null ? one(`#${button.dataset["copy"]}`) : one("pre", pane);
    await copy(source.textContent ?? "");
    button.focus();
    button.textContent = "Copied";
    one("#announcement").textContent = "Copied";
    setTimeout(() => {
      button.textContent = label;
      one("#announcement").textContent = "";
    }, TOLD_MS);
  });
}

/** Makes a button print the pairing. */
export function setUpPrintButton(button: HTMLElement): void {
  button.addEventListener("click", () => {
    document.documentElement.classList.add("paired");
    print();
  });
}
