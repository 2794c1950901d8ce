/**
 * Navigation between views without leaving the document, so that typed values stay in its memory.
 * An address holds the name of a view and no values.
 *
 * @module
 */

import { absoluteUrl, first, one } from "./dom.ts";
import type { PageState } from "./page_state.ts";

// Addresses of the overview and of operation pages, as the server writes them.
const VIEW = /^(?:(?:\.\.\/)?api\.asmx)?(?:\?op=\w+)?(?:#\w+)?$/;

function viewIn(address: string): string {
  return address.split("#")[0]!;
}

/**
 * Makes links to views load them into this document.
 *
 * @param mount Sets up the new elements.
 */
export function followLinks(state: PageState, mount: () => void): void {
  state.shownView = viewIn(document.URL);
  addEventListener("click", (event) => {
    const link = (event.target as Element).closest("a");
    const address = link?.getAttribute("href") ?? "";
    const isPlain = event.button === 0 && !event.defaultPrevented &&
      !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (link === null || !isPlain || address === "" || !VIEW.test(address)) return;
    // A fragment of the shown view: leave it to the browser.
    if (viewIn(link.href) === state.shownView && address.includes("#")) return;
    event.preventDefault();
    void show(state, address, mount, () => history.pushState(null, "", address));
  });
  addEventListener("popstate", () => {
    if (viewIn(document.URL) !== state.shownView) void show(state, document.URL, mount, () => {});
  });
}

/**
 * Shows the programs in a format, in this view and the next ones.
 *
 * @param mount Sets up the new section.
 */
export async function showSnippets(
  state: PageState,
  format: string,
  mount: (section: HTMLElement) => void,
): Promise<void> {
  state.snippetFormat = format;
  // Cancel the previous request, even if nothing changes.
  const request = ++state.snippetRequests;
  const section = first("#snippets");
  if (section === undefined || format === section.dataset["format"]) return;
  try {
    const view = await load(state, document.URL);
    if (request !== state.snippetRequests || !section.isConnected) return;
    const other = one("#snippets", view);
    section.replaceWith(other);
    mount(other);
  } catch {
    one("#told").textContent = "The programs cannot be loaded: no answer came.";
  }
}

/** Loads a view in the chosen format. */
async function load({ snippetFormat }: PageState, address: string): Promise<Document> {
  const url = new URL(absoluteUrl(address));
  if (snippetFormat !== undefined) url.searchParams.set("format", snippetFormat);
  const reply = await fetch(url);
  return new DOMParser().parseFromString(await reply.text(), "text/html");
}

async function show(
  state: PageState,
  address: string,
  mount: () => void,
  arrive: () => void,
): Promise<void> {
  const visit = ++state.visits;
  try {
    const view = await load(state, address);
    if (visit !== state.visits) return;
    for (const place of [".band", "#main", "footer"]) one(place).replaceWith(one(place, view));
    document.title = view.title;
  } catch {
    one("#told").textContent = "This page cannot be loaded: the server does not answer.";
    return;
  }
  arrive();
  state.shownView = viewIn(document.URL);
  one("#main").focus({ preventScroll: true });
  mount();
  const place = document.getElementById(address.split("#")[1] ?? "");
  if (place === null) scrollTo(0, 0);
  else place.scrollIntoView();
}
