/**
 * Going from one view of the page to another without leaving the document, so that what was typed
 * stays in its memory. An address never holds more than the name of a view.
 *
 * @module
 */

import { absoluteUrl, first, one } from "./dom.ts";

// The overview, and the page of an operation, as the server writes their addresses.
const VIEW = /^(?:(?:\.\.\/)?api\.asmx)?(?:\?op=\w+)?(?:#\w+)?$/;

/** What is the same for two addresses of one view: all but the fragment. */
function viewIn(address: string): string {
  return address.split("#")[0]!;
}

let shown = "";
let visits = 0;

/**
 * Makes links to views change what is shown.
 *
 * @param mount Makes what was put in work.
 */
export function followLinks(mount: () => void): void {
  shown = viewIn(document.URL);
  addEventListener("click", (event) => {
    const link = (event.target as Element).closest("a");
    const address = link?.getAttribute("href") ?? "";
    const isPlain = event.button === 0 && !event.defaultPrevented &&
      !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (link === null || !isPlain || address === "" || !VIEW.test(address)) return;
    // A place in the view that is shown: the browser knows how to go there.
    if (viewIn(link.href) === shown && address.includes("#")) return;
    event.preventDefault();
    void show(address, mount, () => history.pushState(null, "", address));
  });
  addEventListener("popstate", () => {
    if (viewIn(document.URL) !== shown) void show(document.URL, mount, () => {});
  });
}

let chosen: string | undefined;
let asked = 0;

/**
 * Shows the programs of the view in a format, and those of the views after it.
 *
 * @param mount Makes the section that was put in work.
 */
export async function showSnippets(
  format: string,
  mount: (section: HTMLElement) => void,
): Promise<void> {
  chosen = format;
  // One that is on its way is not wanted any more, even where nothing needs to change.
  const request = ++asked;
  const section = first("#snippets");
  if (section === undefined || format === section.dataset["format"]) return;
  try {
    const view = await load(document.URL);
    if (request !== asked || !section.isConnected) return;
    const other = one("#snippets", view);
    section.replaceWith(other);
    mount(other);
  } catch {
    one("#told").textContent = "The programs cannot be loaded: no answer came.";
  }
}

/** Loads a view in the format that is chosen. */
async function load(address: string): Promise<Document> {
  const url = new URL(absoluteUrl(address));
  if (chosen !== undefined) url.searchParams.set("format", chosen);
  const reply = await fetch(url);
  return new DOMParser().parseFromString(await reply.text(), "text/html");
}

async function show(address: string, mount: () => void, arrive: () => void): Promise<void> {
  const visit = ++visits;
  try {
    const view = await load(address);
    if (visit !== visits) return;
    for (const place of [".band", "#main", "footer"]) one(place).replaceWith(one(place, view));
    document.title = view.title;
  } catch {
    one("#told").textContent = "This page cannot be loaded: the server does not answer.";
    return;
  }
  arrive();
  shown = viewIn(document.URL);
  one("#main").focus({ preventScroll: true });
  mount();
  const place = document.getElementById(address.split("#")[1] ?? "");
  if (place === null) scrollTo(0, 0);
  else place.scrollIntoView();
}
