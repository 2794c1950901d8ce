/** Headless Chromium, and pages of it that tell of everything that goes wrong in them. */

import type { Browser, BrowserContextOptions, Page } from "playwright-core";

const CHROMIUM = "/usr/bin/chromium";

// It runs as root in containers, where it has no sandbox; and it is to call nobody but the server.
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

let started: Promise<Browser> | undefined;

async function start(): Promise<Browser> {
  try {
    await Deno.stat(CHROMIUM);
  } catch {
    throw new Error("chromium is missing: apt-get install chromium");
  }
  // Only now: it asks the system about itself as it is loaded.
  const { chromium } = await import("playwright-core");
  return await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
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
 * Opens a page in a browser that knows nothing yet, and fails when the page complained: an error or
 * warning on its console, a violation of its policy, an exception that nobody caught.
 */
export async function visit(
  url: string,
  act: (page: Page) => Promise<void>,
  { complaints = 0, ...options }: VisitOptions = {},
): Promise<void> {
  started ??= start();
  const context = await (await started).newContext(options);
  try {
    const page = await context.newPage();
    const heard: string[] = [];
    page.on("console", (message) => {
      // A reply that the browser shows by itself names no icon; so it asks for this one.
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
    if (heard.length !== complaints) throw new Error(`The page complained: ${heard.join("\n")}`);
  } finally {
    await context.close();
  }
}
