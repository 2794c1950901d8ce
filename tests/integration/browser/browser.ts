/** Headless Chromium, and pages of it that tell of everything that goes wrong in them. */

import { assertEquals } from "@std/assert/equals";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { eventually } from "../../support/eventually.ts";

const CHROMIUM = "/usr/bin/chromium";

// It runs as root in containers, where it has no sandbox; and it may call only the server.
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

// A machine may be slow, and its first visit slower; what did not come by then does not come.
const STEP_MS = 180_000;
const VISIT_MS = 600_000;

// The page gives up a call after ten seconds, which a slow machine may need for one that is answered.
const PATIENT = "AbortSignal.timeout = () => new AbortController().signal;";

let started: Promise<Browser> | undefined;

async function start(): Promise<Browser> {
  try {
    await Deno.stat(CHROMIUM);
  } catch {
    throw new Error("chromium is missing: apt-get install chromium");
  }
  // Only now: it reads facts of the system when it is loaded.
  const { chromium } = await import("playwright-core");
  return await chromium.launch({ executablePath: CHROMIUM, args: FLAGS, timeout: VISIT_MS });
}

Deno.test.afterAll(async () => {
  await (await started)?.close();
});

/** What a visit may be like. */
export interface VisitOptions extends BrowserContextOptions {
  /** How many complaints of the console are expected; none unless given. */
  readonly complaints?: number;
}

/**
 * Opens a page in a browser that knows nothing yet, where it waits for each answer as long as it takes,
 * and fails when the page complained: an error or
 * warning on its console, a violation of its policy, an uncaught exception.
 */
export async function visit(
  url: string,
  act: (page: Page) => Promise<void>,
  { complaints = 0, ...options }: VisitOptions = {},
): Promise<void> {
  started ??= start();
  const context = await (await started).newContext(options);
  context.setDefaultTimeout(STEP_MS);
  await context.addInitScript(PATIENT);
  // What the test waits for then fails.
  const deadline = setTimeout(() => void context.close({ reason: "it took too long" }), VISIT_MS);
  try {
    const page = await context.newPage();
    const heard: string[] = [];
    page.on("console", (message) => {
      // A reply that the browser shows by itself names no icon; so it requests this one.
      if (message.location().url.endsWith("/favicon.ico")) return;
      if (["error", "warning"].includes(message.type())) heard.push(message.text());
    });
    page.on("pageerror", (error) => heard.push(String(error)));
    page.on("requestfailed", (request) => {
      // The page gives up a call when another overtakes it.
      const why = request.failure()?.errorText;
      if (why !== "net::ERR_ABORTED") heard.push(`${request.method()}: ${why}`);
    });
    await page.goto(url);
    await act(page);
    // The text of the page may be there before the line of the console.
    await eventually(() => heard.length >= complaints, "the page complained");
    if (heard.length !== complaints) throw new Error(`The page complained: ${heard.join("\n")}`);
    // Nobody waits any more for what was answered by hand.
    await page.unrouteAll({ behavior: "ignoreErrors" });
  } finally {
    clearTimeout(deadline);
    await context.close();
  }
}

/** Waits until the first element that a selector finds shows a text, and nothing else. */
export async function shows(page: Page, selector: string, text: string): Promise<void> {
  const element = page.locator(selector).first();
  let shown = await element.innerText();
  const isShown = async (): Promise<boolean> => (shown = await element.innerText()) === text;
  // The text that it has instead explains more than a timeout.
  await eventually(isShown).catch(() => assertEquals(shown, text));
}

/** Opens the form of the names, the account and the secret, which is one step from the picture. */
export async function openFields(page: Page): Promise<void> {
  await page.click(".change > summary");
}

/**
 * Smallest layout shift that is recorded: a line of text that moves by its height has 0.0002 or more. An
 * icon that moves by three pixels, which fonts and rounding cause, has 0.000004.
 */
const LEAST_SHIFT = 0.0001;

/** Records the layout shifts of a page in its `shift` (Layout Instability API). */
export async function watchShift(page: Page): Promise<void> {
  await page.addInitScript(`
    globalThis.shift = [];
    new PerformanceObserver((list) => {
      for (const { value, sources, hadRecentInput } of list.getEntries()) {
        if (hadRecentInput || value < ${LEAST_SHIFT}) continue;
        shift.push(value, ...sources.map(({ node }) => node?.outerHTML ?? node?.textContent));
      }
    }).observe({ type: "layout-shift", buffered: true });
  `);
}

/** Chooses a format or a language in a section. */
export async function choose(page: Page, section: string, item: string): Promise<void> {
  await page.locator(`#${section}`).getByRole("radio", { name: item, exact: true }).check();
}

/** Panel of the format or language that is chosen in a section. */
export function panelOf(page: Page, section: string): Locator {
  return page.locator(`#${section} .panel:visible`);
}
