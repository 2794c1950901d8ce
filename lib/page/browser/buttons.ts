/**
 * The buttons that copy and print, and the tabs.
 *
 * @module
 */

import { all, one } from "./dom.ts";
import { markUsed } from "./typed_values.ts";

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
    markUsed();
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

/** Makes a button print the page. */
export function setUpPrintButton(button: HTMLElement): void {
  button.addEventListener("click", () => {
    markUsed();
    print();
  });
}

/** The labels of the tabs that were chosen last, by the names of their sets. */
const chosen = new Map<string, string>();

/** The tabs that follow the format of the calls, until another of theirs is chosen. */
const FOLLOWER = "errors-by";

/**
 * Makes a tab be chosen again on the next view, and makes the page follow the format of the calls:
 * buttons say as what they send, and errors are shown in it.
 *
 * @param onFormat Told of the format that is chosen.
 */
export function setUpTab(tab: HTMLInputElement, onFormat: (format: string) => void): void {
  const label = labelOf(tab);
  const tell = (): void => {
    if (!tab.checked || tab.name !== "calls") return;
    for (const by of all(".by")) by.textContent = ` as ${label}`;
    for (const other of all<HTMLInputElement>(`#${FOLLOWER} input`)) {
      if (labelOf(other) === label) other.checked = true;
    }
    onFormat(label);
  };
  tab.addEventListener("change", () => {
    chosen.set(tab.name, label);
    if (tab.name === "calls") chosen.delete(FOLLOWER);
    tell();
  });
  if (chosen.get(tab.name) === label) tab.checked = true;
  tell();
}

function labelOf(tab: HTMLInputElement): string {
  return tab.nextElementSibling?.textContent ?? "";
}
