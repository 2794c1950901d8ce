/** What a person sees while the server answers, when it does not, and when something else does. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import type { Page, Route } from "playwright-core";
import { serverForTests } from "../../support/test_server.ts";
import { eventually } from "../../support/eventually.ts";
import { choose, openFields, panelOf, shows, visit } from "./browser.ts";
import { pinOf, scan, scanAnother } from "./pairing.ts";

const server = serverForTests();
const jsonNamespace = serverForTests("--namespace", "http://json.example/json/");

const PIN = "#ValidatePin-pin";
const CHECK = "form[data-operation=ValidatePin] button[type=submit]";
const SILENCE = "No reply within 10 seconds. Try again, and look whether the server runs and is " +
  "overloaded.";
const SEND = "form[data-operation=Pair] button[type=submit]";

/** Answers the next requests to an operation by hand. */
async function intercept(
  page: Page,
  operation: string,
  answer: (route: Route) => Promise<void> | void,
): Promise<void> {
  await page.route(`**/api.asmx/${operation}*`, answer);
}

async function checked(page: Page): Promise<string> {
  await page.click(CHECK);
  await page.locator(".answer b").waitFor();
  return await page.innerText(".answer");
}

for (
  const [what, change] of [
    ["a new secret", (page: Page) => page.click(".random")],
    ["another app name", (page: Page) => page.fill("#Pair-appName", "Another")],
  ] as const
) {
  Deno.test(`the answer of one form goes with ${what} in the other`, async () => {
    await visit(`${server.url}/`, async (page) => {
      await openFields(page);
      await page.fill(PIN, "1");
      assertMatch(await checked(page), /^false\s*The pin was not accepted\./);
      await page.fill(PIN, pinOf(await scan(page)));
      assertMatch(await checked(page), /^true\s*The pin is right\./);
      await change(page);
      await shows(page, ".answer", "The answer appears here.");
    });
  });
}

Deno.test("a picture is dim and cannot be printed from the first letter until its successor is there", async () => {
  await visit(`${server.url}/`, async (page) => {
    await openFields(page);
    const before = await scan(page);
    let go = (): void => {};
    const held = new Promise<void>((resolve) => go = resolve);
    await intercept(page, "Pair", async (route) => {
      await held;
      await route.continue();
    });
    await page.focus("#Pair-appName");
    const box = page.locator(".pairing");
    await page.keyboard.press("x");
    await page.locator(".pairing[aria-busy=true]").waitFor();
    assert(await page.isDisabled(".print"));
    assertEquals(await page.getAttribute(".open", "href"), null);
    assertEquals(
      await page.evaluate("getComputedStyle(document.querySelector('.tile svg')).opacity"),
      "0.25",
    );
    go();
    await scanAnother(page, before);
    assertEquals(await box.getAttribute("aria-busy"), "false");
    assert(await page.isEnabled(".print"));
  });
});

Deno.test("Check and Send show that they wait, and give up after ten seconds", async () => {
  await visit(`${server.url}/`, async (page) => {
    await openFields(page);
    await page.fill(PIN, pinOf(await scan(page)));
    // The test releases them.
    await page.evaluate(`{
      const controls = [];
      let passed;
      AbortSignal.timeout = (ms) => {
        controls.push(new AbortController());
        passed = ms;
        return controls.at(-1).signal;
      };
      globalThis.passPatience = () => {
        for (const control of controls) control.abort();
        return passed;
      };
    }`);
    await page.route("**/api.asmx/*", () => {});
    await page.click(CHECK);
    await page.click(SEND);
    for (const operation of ["ValidatePin", "Pair"]) {
      await page.locator(`form[data-operation=${operation}][data-busy]`).waitFor();
    }
    await shows(page, ".answer", "Asking the server\u2026");
    assertEquals(await page.evaluate("passPatience()"), 10_000);
    await shows(page, ".answer.bad", SILENCE);
    await shows(page, ".status.bad", SILENCE);
    await page.locator("form[data-busy]").waitFor({ state: "detached" });
  });
});

Deno.test("Enter at once after a letter sends what was typed, and its reply is shown", async () => {
  await visit(`${server.url}/api.asmx?op=Pair`, async (page) => {
    await openFields(page);
    await scan(page);
    await page.focus("#Pair-appName");
    await page.keyboard.press("End");
    await intercept(page, "Pair", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    await page.keyboard.type("!");
    await page.keyboard.press("Enter");
    await page.locator("#Pair .reply:visible figcaption", { hasText: /^Reply, \d+ ms/ }).waitFor();
    assertMatch(
      await page.locator("#Pair .reply:visible pre").innerText(),
      /Example%20Corp%21:jane/,
    );
    assertMatch(await page.innerText(".status"), /^Answer 1, at [\d:]+ UTC, after \d+ ms$/);
  });
});

Deno.test("values in SOAP are written as XML, even if a word of the template is in the namespace", async () => {
  await visit(`${jsonNamespace.url}/api.asmx?op=ValidatePin`, async (page) => {
    const secret = 'a"b\\c<d>&e';
    await page.fill("#ValidatePin-secretCode", secret);
    await page.fill(PIN, "1");
    for (const version of ["SOAP 1.1", "SOAP 1.2"]) {
      await choose(page, "ValidatePin", version);
      const pane = page.locator("#ValidatePin .request:visible pre");
      assert((await pane.textContent())!.includes('>a"b\\c&#60;d&#62;&#38;e<'), version);
    }
  });
});

interface Strange {
  readonly what: string;
  readonly reply: Parameters<Route["fulfill"]>[0];
  readonly says: RegExp;
}

const STRANGE: readonly Strange[] = [
  {
    what: "an error page in XHTML",
    reply: { status: 503, contentType: "application/xhtml+xml", body: "<html><p>Sorry</p></html>" },
    says: /^The reply is 503 Service Unavailable, and not/,
  },
  {
    what: "a sentence",
    reply: { status: 503, contentType: "text/plain", body: "Busy.\r\n" },
    says: /^503: Busy\.$/,
  },
];

for (const { what, reply, says } of STRANGE) {
  Deno.test(`${what} is no answer, and shown for what it is`, async () => {
    await visit(`${server.url}/api.asmx?op=ValidatePin`, async (page) => {
      await openFields(page);
      // The first picture is on its way; its request is not to be answered by hand below.
      await scan(page);
      await intercept(page, "ValidatePin", (route) => route.fulfill(reply));
      await page.fill(PIN, "1");
      await page.click(CHECK);
      await page.locator(".answer.bad").waitFor();
      assertMatch(await page.innerText(".answer"), says);
      assertEquals(await page.locator(".answer b").count(), 0);
      assertMatch(
        await page.locator("#ValidatePin .reply:visible pre").innerText(),
        /^HTTP\/1\.1 \d{3}/,
      );
      await intercept(page, "Pair", (route) => route.fulfill(reply));
      await page.goto(`${server.url}/api.asmx?op=Pair`);
      await page.locator(".status.bad").waitFor();
      await openFields(page);
      await page.click(SEND);
      await page.locator("#Pair .reply:visible figcaption", { hasText: /^Reply, / }).waitFor();
      await page.locator(".status.bad").waitFor();
      assertMatch(await page.innerText(".status"), says);
      // The console has a line for each of the three.
    }, { complaints: 3 });
  });
}

Deno.test("without a server there is no reply, and none is shown", async () => {
  await visit(`${server.url}/api.asmx?op=ValidatePin`, async (page) => {
    await page.fill("#ValidatePin-secretCode", "12345678901234567890");
    await page.fill(PIN, "1");
    await page.click(CHECK);
    await page.locator("#ValidatePin .reply:visible figcaption", { hasText: /^Reply, \d+ ms/ })
      .waitFor();
    await intercept(page, "ValidatePin", (route) => route.abort("connectionrefused"));
    await page.click(CHECK);
    await page.locator("#ValidatePin .reply:visible figcaption", { hasText: /^No reply/ })
      .waitFor();
    assertMatch(await page.locator("#ValidatePin .reply:visible pre").innerText(), /^No reply: /);
    assertMatch(await page.innerText(".answer"), /^No reply: /);
  }, { complaints: 2 });
});

Deno.test("an answer that is the same as before is seen to be another", async () => {
  await visit(`${server.url}/`, async (page) => {
    await openFields(page);
    await scan(page);
    await page.fill(PIN, "1");
    const said = [await checked(page), ""];
    await page.click(CHECK);
    await page.locator(".answer", { hasText: "Answer 2" }).waitFor();
    said[1] = await page.innerText(".answer");
    assertMatch(said[0]!, /^false\s+The pin was not accepted\.\s+Answer 1, at/);
    assertMatch(said[1], /^false\s+The pin was not accepted\.\s+Answer 2, at/);
    await page.click(SEND);
    await page.locator(".status", { hasText: /^Answer 3, at .* UTC, after \d+ ms$/ }).waitFor();
    assert(await page.isVisible(".status"));
  });
});

Deno.test("the name on the sheet is the one that the app shows", async () => {
  await visit(`${server.url}/`, async (page) => {
    await openFields(page);
    const before = await scan(page);
    await page.fill("#Pair-appName", "Acme: Corp");
    await scanAnother(page, before);
    assertEquals(await page.textContent(".for"), "Acme Corp (jane@example.com)");
    // What is typed while a reply is on its way is not its name.
    await intercept(page, "Pair", async (route) => {
      await page.evaluate("document.querySelector('#Pair-appInfo').value = 'mallory'");
      await route.continue();
    });
    await page.click(SEND);
    // A hidden sentence has its text too.
    await page.locator(".print").first().waitFor({ state: "hidden" });
    await shows(page, ".tile p", "The QR code appears here.");
    assert((await page.textContent(".for")) !== "Acme Corp (mallory)");
  });
});

Deno.test("every name is announced once, and a pane by its content", async () => {
  await visit(`${server.url}/api.asmx?op=ValidatePin`, async (page) => {
    assertEquals(await page.getByLabel("Pin", { exact: true }).getAttribute("name"), "pin");
    await page.fill("#ValidatePin-secretCode", "12345678901234567890");
    await page.fill(PIN, "1");
    const code = panelOf(page, "ValidatePin");
    await code.getByLabel("Sample reply", { exact: true }).waitFor();
    await code.getByRole("button", { name: "Copy ValidatePin Sample reply" }).waitFor();
    await checked(page);
    await code.getByLabel(/^Reply, \d+ ms$/).waitFor();
    await code.getByRole("button", { name: /^Copy ValidatePin Reply, \d+ ms$/ }).waitFor();
  });
});

Deno.test("printed, no heading stands over nothing, and the page has its title", async () => {
  for (const javaScriptEnabled of [true, false]) {
    await visit(`${server.url}/api.asmx`, async (page) => {
      if (javaScriptEnabled) await scan(page);
      await page.emulateMedia({ media: "print" });
      const empty = await page.evaluate(`
        [...document.querySelectorAll("main section")].filter((one) => one.getClientRects().length > 0)
          .filter((one) => one.innerText.trim() !== "" &&
            ![...one.querySelectorAll("pre, table, ol, input, .tile, p.answer:not(.empty)")]
              .some((part) => part.getClientRects().length > 0))
          .map((one) => one.querySelector("h2").innerText)
      `);
      assertEquals(empty, []);
      const text = await page.innerText("body");
      assertMatch(text, /^Authenticator\b[^]*\bPair\b[^]*\bParameters\b/);
    }, { javaScriptEnabled });
  }
});

Deno.test("in forced colours, what is current and where a pane ends is seen", async () => {
  await visit(`${server.url}/api.asmx?op=Pair`, async (page) => {
    const outline = (selector: string): Promise<string> =>
      page.evaluate(`getComputedStyle(document.querySelector("${selector}")).outlineStyle`);
    assertEquals(await outline(".choice > :checked + label"), "solid");
    assertEquals(await outline(".choice > :not(:checked) + label"), "none");
    const border = await page.evaluate(
      `getComputedStyle(document.querySelector("figure")).borderTopStyle`,
    );
    assertEquals(border, "solid");
  }, { forcedColors: "active" });
});

Deno.test("the reason of a false answer is read out once it is known", async () => {
  await visit(`${server.url}/`, async (page) => {
    await scan(page);
    await page.fill(PIN, "12345");
    await page.click(CHECK);
    await page.locator("#announcement", { hasText: /The pin has 5 digits; a code has 6\./ })
      .waitFor({
        state: "attached",
      });
    assert(!/Looking/.test(await page.innerText("#announcement")));
    // The same reason once more is read out once more.
    await page.evaluate(`{
      const place = document.querySelector("#announcement");
      globalThis.announced = [];
      new MutationObserver(() => announced.push(place.textContent))
        .observe(place, { childList: true, characterData: true, subtree: true });
    }`);
    await page.click(CHECK);
    await eventually(
      () => page.evaluate("announced.at(-1)?.includes('5 digits') && announced.includes('')"),
      "the reason is read out again",
    );
    await page.fill(PIN, pinOf(await scan(page)));
    await page.click(CHECK);
    await page.locator(".answer b:text-is('true')").waitFor();
    assertEquals(await page.textContent("#announcement"), "");
  });
});

Deno.test("a browser without AbortSignal.any shows the answer too", async () => {
  await visit(`${server.url}/`, async (page) => {
    await page.evaluate("delete AbortSignal.any");
    await page.fill(PIN, pinOf(await scan(page)));
    assertMatch(await checked(page), /^true/);
  });
});

Deno.test("a redirect to a login and a server that is not there have different errors", async () => {
  await visit(`${server.url}/`, async (page) => {
    await scan(page);
    await page.fill(PIN, "1");
    await intercept(
      page,
      "ValidatePin",
      (route) => route.fulfill({ status: 302, headers: { location: "/login" } }),
    );
    await page.click(CHECK);
    await page.locator(".answer.bad", { hasText: /a proxy in front may ask for a login/ })
      .waitFor();
  });
});
