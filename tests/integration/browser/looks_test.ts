/** How the page looks, by measure; and a picture of each way to look at it, in `output/`. */

import { fileURLToPath } from "node:url";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import type { BrowserContextOptions, Page } from "playwright-core";
import { serverForTests } from "../../support/test_server.ts";
import { eventually } from "../../support/eventually.ts";
import { openFields, visit, watchShift } from "./browser.ts";
import { scan } from "./pairing.ts";

const server = serverForTests();
const KEY_FILE = fileURLToPath(new URL("api_keys.txt", import.meta.url));
const KEY = Deno.readTextFileSync(KEY_FILE).trim();
const locked = serverForTests("--api-keys-file", KEY_FILE);
const SIZES = [1920, 1280, 768, 390, 320];
const OUTPUT = fileURLToPath(new URL("output/", import.meta.url));

const WAYS: readonly (readonly [name: string, options: BrowserContextOptions])[] = [
  ["1440", { viewport: { width: 1440, height: 900 } }],
  ["1280", { viewport: { width: 1280, height: 800 } }],
  ["768", { viewport: { width: 768, height: 1024 } }],
  ["360", { viewport: { width: 360, height: 640 } }],
  ["zoomed", { viewport: { width: 320, height: 256 } }],
  ["dark", { viewport: { width: 1280, height: 800 }, colorScheme: "dark" }],
  ["print", { viewport: { width: 794, height: 1123 } }],
  ["forced-colours", { viewport: { width: 1280, height: 800 }, forcedColors: "active" }],
  ["no-script", { viewport: { width: 1280, height: 800 }, javaScriptEnabled: false }],
];

const QUERIES = ["", "?op=ValidatePin", "?op=nothing"];

for (const [name, options] of WAYS) {
  Deno.test(`a picture of every page is kept: ${name}`, async () => {
    await Deno.mkdir(OUTPUT, { recursive: true });
    for (const query of QUERIES) {
      await visit(`${server.url}/api.asmx${query}`, async (page) => {
        if (options.javaScriptEnabled !== false) await scan(page);
        if (name === "print") await page.emulateMedia({ media: "print" });
        const view = query.slice("?op=".length) || "overview";
        await page.screenshot({ path: `${OUTPUT}${view}-${name}.png`, fullPage: true });
        await looksRight(page, options);
      }, { ...options, complaints: query === "?op=nothing" ? 1 : 0 });
    }
  });
}

async function looksRight(page: Page, { viewport }: BrowserContextOptions): Promise<void> {
  const width = viewport?.width ?? 0;
  const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
  assert(wide <= width, `${wide} px of ${width}`);
  const cut = await page.evaluate<string[]>(`
    [...document.querySelectorAll(".scroll")].filter((one) => one.scrollWidth > one.clientWidth)
      .map((one) => one.firstElementChild.getAttribute("aria-label"))
  `);
  assertEquals(cut, [], "tables whose end is not seen");
  const fields = await page.evaluate<[string, number, boolean][]>(`
    [...document.querySelectorAll("form input")].map((one) =>
      [one.name, one.clientWidth, one.scrollWidth > one.clientWidth])
  `);
  for (const [field, size, isClipped] of fields) {
    assert(size <= (field === "pin" ? 180 : 420), `${field}: ${size} px`);
    assert(!isClipped, `${field} is clipped`);
  }
}

Deno.test("the first screen shows the login work: picture, field, answer and a code for it", async () => {
  const parts = [".tile > svg", "#ValidatePin-pin", ".answer", ".now .code"];
  for (const [width, height, screens] of [[1280, 800, 1], [390, 844, 2]] as const) {
    await visit(`${server.url}/`, async (page) => {
      await scan(page);
      // A telephone has an app with the code.
      const seen = screens === 1 ? parts : parts.slice(0, 2);
      for (const part of seen) {
        const { y, height: high } = (await page.locator(part).boundingBox())!;
        assert(y >= 0 && y + high <= screens * height, `${part}: ${y + high} px of ${height}`);
      }
      await page.click(".now");
      await page.keyboard.press("Enter");
      await page.locator(".answer b:text-is('true')").waitFor();
      assert(width < 1280 || await page.evaluate("scrollY") === 0);
    }, { viewport: { width, height } });
  }
});

Deno.test("what stands beside is aligned, and the list of the sections stays", async () => {
  const viewport = { width: 1280, height: 900 };
  await visit(`${server.url}/`, async (page) => {
    await scan(page);
    const lefts = await page.evaluate<number[]>(`
      ["#login .choice", "#Pair .part", "#ValidatePin .part", "#Pair .choice", "#ValidatePin .choice"]
        .map((each) => document.querySelector(each).getBoundingClientRect().left)
    `);
    // Programs over the full width; else text left, requests right.
    assertEquals(lefts.slice(0, 3), [lefts[0], lefts[0], lefts[0]]);
    assertEquals(lefts[3], lefts[4]);
    assert(lefts[0]! < lefts[3]!);
    // A program is shown whole.
    const hidden = await page.evaluate<number>(`(() => {
      const pre = document.querySelector("#login-title ~ .choice .panel:nth-of-type(1) pre");
      return pre.scrollHeight - pre.clientHeight;
    })()`);
    assertEquals(hidden, 0);
    // The list of the sections stays.
    await page.evaluate("document.querySelector('#wsdl').scrollIntoView()");
    const list = await page.locator("nav").boundingBox();
    assert(list!.y >= 0 && list!.y < 100);
  }, { viewport });
});

Deno.test("every module of the picture is as many whole pixels", async () => {
  for (const deviceScaleFactor of [1, 1.5, 2]) {
    for (const width of [1280, 360, 320]) {
      await visit(`${server.url}/`, async (page) => {
        await scan(page);
        const [size, modules] = await page.evaluate<[number, number]>(`(() => {
          const svg = document.querySelector(".tile svg");
          return [svg.getBoundingClientRect().width, svg.viewBox.baseVal.width];
        })()`);
        const pixels = size * deviceScaleFactor / modules;
        assert(Math.abs(pixels - Math.round(pixels)) < 0.01 && pixels >= 3, `${pixels} pixels`);
      }, { deviceScaleFactor, viewport: { width, height: 800 } });
    }
  }
});

Deno.test("a secret too long for its field is shown in whole under it", async () => {
  await visit(`${server.url}/api.asmx?op=Pair`, async (page) => {
    await openFields(page);
    await scan(page);
    assert(!await page.isVisible(".whole"));
    const secret = "long ".repeat(30);
    await page.fill("#Pair-secretCode", secret);
    assertEquals(await page.textContent(".whole"), secret);
    assert(await page.isVisible(".whole"));
  });
});

Deno.test("a name as long as names can be stays on the printed sheet; one longer is called so at its field", async () => {
  await visit(`${server.url}/api.asmx?op=Pair`, async (page) => {
    await openFields(page);
    await scan(page);
    await page.fill("#Pair-appName", "W".repeat(257));
    const error = page.locator(".error:visible", { hasText: "longer than 256 characters" });
    await error.waitFor();
    const field = (await page.locator("#Pair-appName").boundingBox())!;
    const said = (await error.boundingBox())!;
    assert(said.y - field.y - field.height < 20, `${said.y} px`);
    await page.fill("#Pair-appName", "W".repeat(256));
    await page.locator(".setup:visible").waitFor();
    await page.emulateMedia({ media: "print" });
    const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
    assert(wide <= 794, `${wide} px`);
    // The server refuses the longer name.
  }, { viewport: { width: 794, height: 1123 }, complaints: 1 });
});

Deno.test("names in scripts from right to left are written that way, and secrets and pins never", async () => {
  await visit(`${server.url}/`, async (page) => {
    await openFields(page);
    await page.fill("#Pair-appName", "\u05e9\u05dc\u05d5\u05dd <b>");
    await page.fill("#Pair-secretCode", "\u05e9\u05dc\u05d5\u05dd 0123456789abcdef");
    await page.locator(".for", { hasText: "<b>" }).waitFor({ state: "attached" });
    const directions = await page.evaluate<string[]>(`
      ["#Pair-appName", "#Pair-appInfo", "#Pair-secretCode", "#ValidatePin-pin", ".for"]
        .map((each) => getComputedStyle(document.querySelector(each)).direction)
    `);
    assertEquals(directions, ["rtl", "ltr", "ltr", "ltr", "rtl"]);
  });
});

Deno.test("the layout stays where it is while the script starts", async () => {
  const options = { httpCredentials: { username: "me", password: KEY } };
  for (
    const [width, { url }] of SIZES.flatMap((size) => [[size, server], [size, locked]] as const)
  ) {
    await visit("about:blank", async (page) => {
      await watchShift(page);
      await page.goto(`${url}/api.asmx`);
      if (url === locked.url) await page.fill("#key", KEY);
      await scan(page);
      await page.locator(".time", { hasText: /^\d\d:/ }).waitFor();
      await page.locator(".now:enabled").waitFor();
      assertEquals([width, await page.evaluate("shift")], [width, []]);
    }, { ...options, viewport: { width, height: 900 } });
  }
});

Deno.test("a picture of many modules is large, and where it cannot be, the page names what to shorten", async () => {
  for (const [width, isFine] of [[1280, true], [320, false]] as const) {
    await visit(`${server.url}/api.asmx`, async (page) => {
      await openFields(page);
      await scan(page);
      await page.fill("#Pair-secretCode", "s".repeat(1020));
      await page.locator(".uri", { hasText: "ONZXG43TONZXG43TONZXG43TONZXG43TONZXG43T" }).waitFor();
      const module = await page.evaluate<number>(`(() => {
        const svg = document.querySelector(".tile svg");
        return svg.clientWidth / svg.viewBox.baseVal.width;
      })()`);
      assertEquals(module >= 3, isFine, `${module} px`);
      const status = await page.locator(".status").textContent();
      assertEquals(status!.includes("shorten the secret or the names"), !isFine, status!);
    }, { viewport: { width, height: 900 } });
  }
});

Deno.test("after Enter on a small screen, the answer is in view", async () => {
  await visit(`${server.url}/api.asmx?op=ValidatePin`, async (page) => {
    await scan(page);
    await page.fill("#ValidatePin-pin", "1");
    await page.keyboard.press("Enter");
    await page.locator(".answer b").waitFor();
    await eventually(
      () =>
        page.evaluate(`(() => {
          const { top, bottom } = document.querySelector(".answer").getBoundingClientRect();
          return top >= 0 && bottom <= innerHeight;
        })()`),
      "the answer is in view",
    );
  }, { viewport: { width: 320, height: 700 } });
});

Deno.test("the keyboard stops only where something can be done or scrolls", async () => {
  await visit(`${server.url}/api.asmx`, async (page) => {
    await scan(page);
    for (const width of [320, 1920]) {
      await page.setViewportSize({ width, height: 700 });
      const idle = await page.evaluate<string[]>(`dispatchEvent(new Event("resize")),
        [...document.querySelectorAll("[tabindex='0']")]
          .filter((one) => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight)
          .map((one) => one.className || one.localName)
      `);
      assertEquals(idle, []);
    }
    assertEquals(await page.getByRole("region", { name: /Request|reply|Table/ }).count(), 0);
  });
});
