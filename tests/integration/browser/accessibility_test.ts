/** WCAG 2.2 AA, as far as a program can tell. */

import { fileURLToPath } from "node:url";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { serverForTests } from "../../support/test_server.ts";
import { eventually } from "../../support/eventually.ts";
import { visit } from "./browser.ts";
import { scan } from "./pairing.ts";

const server = serverForTests("--window", "10");

const KEY_FILE = fileURLToPath(new URL("api_keys.txt", import.meta.url));
const KEY = Deno.readTextFileSync(KEY_FILE).trim();
const locked = serverForTests("--api-keys-file", KEY_FILE);

const QUERIES = ["", "?op=ValidatePin", "?op=nothing"];

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

async function findings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const violations = await page.evaluate<readonly Finding[]>(
    "axe.run(document, { resultTypes: ['violations'] }).then((result) => result.violations)",
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)}: ${failureSummary}`)
  );
}

for (const query of QUERIES) {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [1280, 320]) {
      const name = query || "the overview";
      Deno.test(`axe finds nothing on ${name}, ${colorScheme}, ${width} px wide`, async () => {
        await visit(`${server.url}/api.asmx${query}`, async (page) => {
          if (await page.locator(".tile").count() > 0) await scan(page);
          assertEquals(await findings(page), []);
          if (await page.locator(".answer").count() === 0) return;
          await page.fill("#ValidatePin-secretCode", "12345678901234567890");
          await page.fill("#ValidatePin-pin", "1");
          await page.keyboard.press("Enter");
          await page.locator(".reasons li").first().waitFor();
          assertEquals(await findings(page), []);
          // While an answer is on its way, for as long as it takes to look.
          await page.route("**/api.asmx/*", () => {});
          await eventually(async () => {
            await page.locator("#ValidatePin-pin").press("Enter");
            return await page.locator(".answer.waiting").waitFor({ timeout: 10_000 })
              .then(() => true, () => false);
          }, "an answer is waited for");
          assertEquals(await findings(page), []);
        }, {
          colorScheme,
          reducedMotion: "reduce",
          viewport: { width, height: 800 },
          complaints: query === "?op=nothing" ? 1 : 0,
        });
      });
    }
  }

  Deno.test(`${query || "the overview"} needs no sideways scrolling at 400 %`, async () => {
    // WCAG 2.2, 1.4.10: 1,280 pixels at 400 % are 320.
    await visit(`${server.url}/api.asmx${query}`, async (page) => {
      if (await page.locator(".tile").count() > 0) await scan(page);
      const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
      assert(wide <= 320, `${wide} px`);
    }, { viewport: { width: 320, height: 256 }, complaints: query === "?op=nothing" ? 1 : 0 });
  });
}

Deno.test("axe finds nothing while the first picture is on its way", async () => {
  await visit("about:blank", async (page) => {
    await page.route("**/api.asmx/*", () => {});
    await page.goto(`${server.url}/api.asmx?op=Pair`);
    await page.locator("[aria-busy=true] > .tile > p").waitFor();
    assertEquals(await findings(page), []);
  });
});

for (const colorScheme of ["light", "dark"] as const) {
  Deno.test(`axe finds nothing where an API key is required, ${colorScheme}`, async () => {
    await visit(`${locked.url}/api.asmx`, async (page) => {
      assertEquals(await findings(page), []);
      await page.fill("#key", KEY);
      await scan(page);
      assertEquals(await findings(page), []);
    }, { colorScheme, httpCredentials: { username: "me", password: KEY } });
  });
}

Deno.test("what can be pressed is large enough, and close to nothing else", async () => {
  // WCAG 2.2, 2.5.8: 24 pixels; links in a line of text are excepted.
  await visit(`${server.url}/api.asmx?op=Pair`, async (page) => {
    await scan(page);
    const sizes = await page.evaluate<readonly (readonly [string, number])[]>(`
      [...document.querySelectorAll("button, .button, nav a, .choice > label")]
        .map((one) => [one.textContent, one.getBoundingClientRect().height])
    `);
    assert(sizes.length > 10);
    assertEquals(sizes.filter(([, height]) => height > 0 && height < 24), []);
  }, { viewport: { width: 320, height: 800 } });
});

Deno.test("answers are announced, and nothing that only ticks", async () => {
  await visit(`${server.url}/`, async (page) => {
    assertEquals(await page.getAttribute(".answer", "role"), "status");
    assertEquals(await page.getAttribute(".status", "role"), "status");
    assertEquals(await page.locator("[role=status] .time, [aria-live] .time").count(), 0);
  });
});

Deno.test("nothing moves where the browser prefers reduced motion", async () => {
  const duration = "getComputedStyle(document.querySelector('button')).transitionDuration";
  for (const reducedMotion of ["reduce", "no-preference"] as const) {
    await visit(`${server.url}/`, async (page) => {
      const isStill = await page.evaluate(duration) === "0s";
      assertEquals([reducedMotion, isStill], [reducedMotion, reducedMotion === "reduce"]);
    }, { reducedMotion });
  }
});
