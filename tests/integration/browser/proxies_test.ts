/** The page behind other servers, and before people who have a key. */

import { fileURLToPath } from "node:url";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import type { Page } from "playwright-core";
import { serverForTests, type TestServer } from "../../support/test_server.ts";
import { visit, watchShift } from "./browser.ts";
import { pinOf, scan, wrongPinOf } from "./pairing.ts";

const KEY_FILE = fileURLToPath(new URL("api_keys.txt", import.meta.url));
const KEY = Deno.readTextFileSync(KEY_FILE).trim();

const server = serverForTests();
const locked = serverForTests("--api-keys-file", KEY_FILE);
const https = serverForTests("--base-url", "https://pin.example.com");

const CHECK = "form[data-operation=ValidatePin] button[type=submit]";
const WARNING = ".in-the-clear";

Deno.test("a page whose address holds a key calls the service", async () => {
  const address = locked.url.replace("://", `://x:${KEY}@`);
  await visit(`${address}/`, async (page) => {
    await page.click("form button[type=submit]");
    await page.fill("#ValidatePin-pin", pinOf(await scan(page)));
    await page.click(CHECK);
    await page.locator(".answer b").waitFor();
    assertMatch(await page.innerText(".answer"), /^true/);
    await page.locator(".time", { hasText: /^\d\d:/ }).waitFor();
    // A wrong key that is typed is refused, and the browser's own still works.
    await page.fill("#key", "0".repeat(16));
    await page.click(CHECK);
    await page.locator("#key-error:visible").waitFor();
    await page.locator(".status.bad").waitFor();
    await page.fill("#key", "");
    await page.click(CHECK);
    await page.locator(".answer b:text-is('true')").waitFor();
  }, { complaints: 2 });
});

Deno.test("a key that is typed goes into the requests, shown and sent, and nowhere else", async () => {
  const httpCredentials = { username: "me", password: KEY };
  await visit(`${locked.url}/api.asmx?op=ValidatePin`, async (page) => {
    const texts = (): Promise<string[]> => page.locator("pre[data-encoding]").allTextContents();
    for (const text of await texts()) assert(text.includes("YOUR-API-KEY"));
    await page.fill("#ValidatePin-secretCode", "12345678901234567890");
    await page.fill("#ValidatePin-pin", "1");
    const send = async (): Promise<string | undefined> => {
      const [request] = await Promise.all([
        page.waitForRequest("**/api.asmx/ValidatePin"),
        page.click(CHECK),
      ]);
      assertEquals((await request.response())!.status(), 200);
      return (await request.allHeaders())["x-api-key"];
    };
    // The browser shows its own.
    assertEquals(await send(), undefined);
    await page.fill("#key", KEY);
    for (const text of await texts()) assert(text.includes(KEY) && !text.includes("YOUR-API-KEY"));
    assertEquals(await send(), KEY);
    assert(!page.url().includes(KEY));
  }, { httpCredentials });
});

/** Opens the page as it looks where it came from another place than this machine. */
async function openFrom(page: Page, origin: string, upstream: TestServer): Promise<void> {
  await page.route("**/*", async (route) => {
    const { pathname, search } = new URL(route.request().url());
    await route.fulfill({
      response: await route.fetch({ url: upstream.url + pathname + search }),
    });
  });
  await page.goto(`${origin}/api.asmx`);
}

for (
  const [origin, isWarned] of [["http://pin.test", true], ["https://pin.test", false]] as const
) {
  for (const upstream of [server, https]) {
    const base = upstream === server ? "no base URL" : "another base URL";
    Deno.test(`a page that came from ${origin}, with ${base}, warns: ${isWarned}`, async () => {
      await visit("about:blank", async (page) => {
        await watchShift(page);
        await openFrom(page, origin, upstream);
        await scan(page);
        assertEquals(await page.isVisible(WARNING), isWarned);
        assertEquals(await page.evaluate("shift"), []);
      });
    });
  }
}

const ELSEWHERE = /authenticator (?:code|doctor)/;
const sha256 = serverForTests("--algorithm", "SHA256");
// Steps of an hour: a pin with a wrong digit is recognized only within its own step.
const hourly = serverForTests("--period", "3600");

for (
  const [origin, upstream, isSecure] of [
    ["http://pin.test", hourly, true],
    ["https://pin.test", hourly, true],
    ["http://pin.test", sha256, false],
    ["https://pin.test", sha256, true],
  ] as const
) {
  const hash = upstream === sha256 ? "SHA-256" : "SHA-1";
  Deno.test(`a page that came from ${origin} computes codes of ${hash}: ${isSecure}; else it names a command that does`, async () => {
    await visit("about:blank", async (page) => {
      await openFrom(page, origin, upstream);
      await page.locator(".time", { hasText: /^\d\d:/ }).waitFor();
      const app = page.locator(".test-app");
      assert(await app.isVisible());
      assertEquals(ELSEWHERE.test(await app.innerText()), !isSecure);
      assertEquals(await app.locator("button").first().isVisible(), isSecure);
      // How much of the time step is left is seen once: on a ring beside the code, or on a bar.
      assertEquals(await page.locator(".clock progress").isVisible(), !isSecure);
      await page.fill("#ValidatePin-pin", wrongPinOf(await scan(page)));
      await page.click(CHECK);
      await page.locator(".reasons small, .reasons li").first().waitFor();
      assertEquals(ELSEWHERE.test(await page.innerText(".reasons")), !isSecure);
    });
  });
}

Deno.test("behind a proxy that strips a prefix, every URL of the page is right", async () => {
  const proxy = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname, search } = new URL(request.url);
    if (!pathname.startsWith("/otp/")) return new Response("not here", { status: 404 });
    return fetch(`${server.url}${pathname.slice(4)}${search}`, {
      method: request.method,
      headers: request.headers,
      body: request.body,
      redirect: "manual",
    });
  });
  try {
    await visit(`http://127.0.0.1:${proxy.addr.port}/otp/`, async (page) => {
      assertEquals(new URL(page.url()).pathname, "/otp/api.asmx");
      await page.fill("#ValidatePin-pin", pinOf(await scan(page)));
      await page.click(CHECK);
      await page.locator(".answer b").waitFor();
      assertMatch(await page.innerText(".answer"), /^true/);
      for (const link of await page.locator("a[href]:visible").all()) {
        const href = await link.evaluate((one) => (one as { readonly href?: string }).href ?? "");
        if (href.startsWith("otpauth:")) continue;
        const reply = await fetch(href);
        assertEquals([href, reply.status], [href, 200]);
        await reply.body?.cancel();
      }
    });
  } finally {
    await proxy.shutdown();
  }
});
