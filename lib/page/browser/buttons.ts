/**
 * The buttons that copy and print, and the tabs that name a format.
 *
 * @module
 */

import { all, one } from "./dom.ts";

/** How long a button says that it copied, in milliseconds. */
const TOLD_MS = 2000;

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Browsers have no clipboard for pages that came by plain HTTP; this old way remains.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

/** Makes a button copy the text of the pane it is in, or else of the element that it names. */
export function setUpCopyButton(button: HTMLElement): void {
  const label = button.textContent;
  button.addEventListener("click", async () => {
    const pane = button.closest("figure");
    const source = pane === null ? one(`#${button.dataset["copy"]}`) : one("pre", pane);
    await copy(source.textContent ?? "");
    button.focus();
    button.textContent = "Copied";
    one("#told").textContent = "Copied";
    setTimeout(() => {
      button.textContent = label;
      one("#told").textContent = "";
    }, TOLD_MS);
  });
}

/** Makes the buttons that send say by which format, as the tab that is chosen has it. */
export function setUpFormatTab(tab: HTMLInputElement): void {
  const tell = (): void => {
    if (!tab.checked) return;
    for (const by of all(".by")) by.textContent = ` by ${tab.nextElementSibling?.textContent}`;
  };
  tab.addEventListener("change", tell);
  tell();
}
