/**
 * Choice of a format or language without leaving the page: its link leads to the same page with other
 * requests and programs, which replace those shown here.
 *
 * @module
 */

import { absoluteUrl, all, one } from "./dom.ts";
import type { PageState } from "./page_state.ts";
import { loadDocument } from "./request.ts";

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
  const group = link.parentElement!;
  const error = one(".error", group);
  error.hidden = true;
  group.setAttribute("aria-busy", "true");
  const url = absoluteUrl(link.getAttribute("href")!);
  const page = await loadDocument({ url, options: {} }, ".swap");
  group.removeAttribute("aria-busy");
  if (number !== state.choices) return;
  if (typeof page === "string") {
    error.textContent = page;
    error.hidden = false;
    one("#announcement").textContent = page;
    return;
  }
  const { name } = group.dataset;
  const { id } = group.parentElement!;
  const before = group.getBoundingClientRect().top;
  for (const part of all(".swap")) {
    const other = one(`#${part.id}`, page);
    if (name === "Language") keepReply(part, other);
    part.replaceWith(other);
    mount(other);
  }
  history.replaceState(null, "", addressOf(link));
  // The same link in the new part takes the focus, at the place where the old one was.
  const same = one(`#${id} [data-name=${name}] [aria-current]`);
  same.focus({ preventScroll: true });
  scrollBy(0, same.parentElement!.getBoundingClientRect().top - before);
  one("#announcement").textContent = `${name}: ${link.textContent}`;
}

// Request and reply stay as they were sent and came back: another language changes nothing about them.
function keepReply(part: HTMLElement, other: HTMLElement): void {
  for (const kept of all(".request, .reply", part)) {
    one(`.${kept.className.split(" ")[0]}`, other).replaceWith(kept);
  }
}

// The operation stays the one that the page was opened for, so that a reload keeps the order.
function addressOf({ href }: HTMLAnchorElement): string {
  const address = new URL(href);
  const { op } = document.body.dataset;
  if (op === undefined) address.searchParams.delete("op");
  else address.searchParams.set("op", op);
  return address.href;
}
