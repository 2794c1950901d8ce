/**
 * Choice of a format or language without leaving the page: its link leads to the same page with other
 * requests and programs, which replace those shown here.
 *
 * @module
 */

import { absoluteUrl, all, first, one } from "./dom.ts";
import type { PageState } from "./page_state.ts";

/**
 * Makes the links of the choices load into this document.
 *
 * @param mount Sets up a replaced part.
 */
export function followChoices(state: PageState, mount: (part: HTMLElement) => void): void {
  addEventListener("click", (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>(".choices a");
    const isPlain = event.button === 0 && !event.defaultPrevented &&
      !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (link === null || !isPlain) return;
    event.preventDefault();
    void choose(state, link, mount);
  });
}

async function choose(
  state: PageState,
  link: HTMLAnchorElement,
  mount: (part: HTMLElement) => void,
): Promise<void> {
  const number = ++state.choices;
  const told = one("#told");
  told.textContent = "";
  const before = link.getBoundingClientRect().top;
  try {
    const reply = await fetch(absoluteUrl(link.getAttribute("href")!));
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    if (number !== state.choices) return;
    for (const part of all(".swap")) {
      const other = one(`#${part.id}`, page);
      part.replaceWith(other);
      mount(other);
    }
  } catch {
    told.textContent = "The requests and programs cannot be loaded: no answer came.";
    return;
  }
  history.replaceState(null, "", link.href);
  // The same link in the new part takes the focus, at the place where the old one was.
  const group = link.parentElement!;
  const part = one(`#${group.parentElement!.id}`);
  const same = first(`[aria-label=${group.ariaLabel}] [aria-current]`, part);
  same?.focus({ preventScroll: true });
  scrollBy(0, (same?.getBoundingClientRect().top ?? before) - before);
  told.textContent = `${group.ariaLabel}: ${link.textContent}`;
}
