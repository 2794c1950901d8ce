/**
 * Panes: texts to read and copy, and the choices between them.
 *
 * @module
 */

import { setUpCopyButton } from "./buttons.ts";
import { all, one, textElement } from "./dom.ts";

/** Gives each pane a button that copies its text. */
export function setUpPanes(): void {
  for (const pane of all("figure")) {
    const button = textElement("button", "Copy");
    button.setAttribute("type", "button");
    button.className = "small";
    one("figcaption", pane).append(button);
    entitle(pane, one("figcaption", pane).firstChild!.nodeValue!);
    setUpCopyButton(button, one("pre", pane));
  }
}

/** Sets the title of a pane, which names its text and its button too. */
export function entitle(pane: HTMLElement, title: string): void {
  const caption = one("figcaption", pane);
  const [section = ""] = [one("h2", pane.closest("section")!).textContent];
  caption.firstChild!.nodeValue = title;
  one("button", caption).setAttribute("aria-label", `Copy ${section} ${title}`);
  one("pre", pane).setAttribute("aria-label", title);
}

/** Panel of a section's choice that is shown. */
export function openPanel(section: HTMLElement): HTMLElement {
  return one(".choice > :checked + label + .panel", section);
}

/** Lets the keyboard reach the texts and tables that scroll, and no others. */
export function followScrolling(): void {
  for (const part of all("pre, .scroll, .groups, .uri, .whole")) {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = part;
    const scrolls = scrollWidth > clientWidth || scrollHeight > clientHeight;
    if (scrolls) {
      part.tabIndex = 0;
      part.setAttribute("role", "group");
    } else {
      part.removeAttribute("tabindex");
      part.removeAttribute("role");
    }
  }
}
