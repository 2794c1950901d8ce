/**
 * Copy buttons, print buttons and tabs.
 *
 * @module
 */

import { all, one } from "./dom.ts";
import type { PageState } from "./page_state.ts";

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
export function setUpCopyButton(state: PageState, button: HTMLElement): void {
  const label = button.textContent;
  button.addEventListener("click", async () => {
    state.isUsed = true;
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
export function setUpPrintButton(state: PageState, button: HTMLElement): void {
  button.addEventListener("click", () => {
    state.isUsed = true;
    print();
  });
}

/** Tab set that follows the format of the calls until the user chooses a tab in it. */
const FOLLOWER = "errors-by";

/**
 * Restores the choice of a tab on the next view, and makes button labels and the error table follow
 * the format of the calls.
 *
 * @param onFormat Called with the chosen format.
 */
export function setUpTab(
  state: PageState,
  tab: HTMLInputElement,
  onFormat: (format: string) => void,
): void {
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
    state.chosenTabs.set(tab.name, label);
    if (tab.name === "calls") state.chosenTabs.delete(FOLLOWER);
    tell();
  });
  if (state.chosenTabs.get(tab.name) === label) tab.checked = true;
  tell();
}

function labelOf(tab: HTMLInputElement): string {
  return tab.nextElementSibling?.textContent ?? "";
}
