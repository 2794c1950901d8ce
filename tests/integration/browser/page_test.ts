/** The service page as people use it. */

import { fileURLToPath } from "node:url";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { decodeBase32 } from "@std/encoding/base32";
import type { Page } from "playwright-core";
import { serverForTests } from "../../support/test_server.ts";
import { eventually } from "../../support/eventually.ts";
import { choose, openFields, panelOf, shows, visit } from "./browser.ts";
import { pinOf, scan, scanAnother, wrongPinOf } from "./pairing.ts";

const server = serverForTests();
const imageServer = serverForTests("--html", "image");
const otherServer = serverForTests("--algorithm", "SHA256", "--digits", "8", "--period", "60");

const KEY_FILE = fileURLToPath(new URL("api_keys.txt", import.meta.url));
const KEY = Deno.readTextFileSync(KEY_FILE).trim();
const lockedServer = serverForTests("--api-keys-file", KEY_FILE);

const PAIR_SECRET = "#Pair-secretCode";
const PIN = "#ValidatePin-pin";
const ANSWER = ".answer:not(.empty)";

async function answer(page: Page): Promise<string> {
  const box = page.locator(ANSWER);
  await box.waitFor();
  return await box.innerText();
}

async function check(page: Page, pin: string): Promise<string> {
  await page.fill(PIN, pin);
  await page.locator(ANSWER).waitFor({ state: "detached" });
  await page.click("form[data-operation=ValidatePin] button[type=submit]");
  return await answer(page);
}

Deno.test("a person pairs a phone with the picture on the page, and checks its pin", async () => {
  await visit(`${server.url}/`, async (page) => {
    const uri = await scan(page);
    const secret = await page.inputValue(PAIR_SECRET);
    // A 9 is no digit of Base32.
    assertMatch(secret, /^(?=.*9)[A-Za-z0-9]{28}$/);
    assertEquals(await page.inputValue("#ValidatePin-secretCode"), secret);
    assertMatch(uri, /^otpauth:\/\/totp\/Example%20Corp:jane%40example\.com\?secret=/);
    const key = new URL(uri).searchParams.get("secret")!;
    const padded = key.padEnd(Math.ceil(key.length / 8) * 8, "=");
    assertEquals(new TextDecoder().decode(decodeBase32(padded)), secret);
    assertEquals((await page.locator(".groups span").allInnerTexts()).join(""), key);
    assertEquals(await page.getAttribute(".open", "href"), uri);
    assertEquals(await page.innerText(".uri"), uri);
    assertMatch(await page.innerText(".setup"), /Choose time-based in the app\./);
    assertMatch(await check(page, pinOf(uri)), /true\s+The pin is right\./);
    assertMatch(await check(page, wrongPinOf(uri)), /false\s+The pin was not accepted/);
    const spaced = pinOf(uri).replace(/^.../, "$& ");
    assertMatch(await check(page, spaced), /^true/);
  });
});

Deno.test("the answer goes as soon as the question changes", async () => {
  await visit(`${server.url}/`, async (page) => {
    assertMatch(await check(page, pinOf(await scan(page))), /true/);
    await page.type(PIN, "1");
    await shows(page, ".answer", "The answer appears here.");
  });
});

Deno.test("the picture follows the fields", async () => {
  await visit(`${server.url}/api.asmx?op=Pair`, async (page) => {
    await openFields(page);
    const first = await scan(page);
    await page.fill("#Pair-appName", "B\u00fccher & S\u00f6hne <b>");
    const second = await scanAnother(page, first);
    assertMatch(second, /totp\/B%C3%BCcher%20%26%20S%C3%B6hne%20%3Cb%3E:jane/);
    await page.click(".random");
    const third = await scanAnother(page, second);
    assert(third.slice(third.indexOf("secret=")) !== second.slice(second.indexOf("secret=")));
    await page.fill("#Pair-appInfo", "");
    await page.locator(".tile p").waitFor();
    assertMatch(await page.innerText(".status"), /appears when all fields are filled in/);
    assert(!await page.isVisible(".setup"));
    await page.fill("#Pair-appInfo", "x".repeat(300));
    await shows(page, "#Pair-appInfo-error", "Parameter appInfo is longer than 256 characters.");
    assertEquals(await page.getAttribute("#Pair-appInfo", "aria-invalid"), "true");
    await page.fill(PIN, "12");
    assert(await page.isVisible("#Pair-appInfo-error"));
    await page.fill("#Pair-appInfo", "jane");
    assert(!await page.isVisible("#Pair-appInfo-error"));
    assertEquals(await page.getAttribute("#Pair-appInfo", "aria-invalid"), null);
  }, { complaints: 1 }); // The console tells of the 400.
});

Deno.test("the code to type in is shown in groups of four and copied without blanks", async () => {
  const permissions = ["clipboard-read", "clipboard-write"];
  await visit(`${server.url}/`, async (page) => {
    const key = new URL(await scan(page)).searchParams.get("secret")!;
    const groups = await page.locator(".groups span").allInnerTexts();
    assertEquals(groups, key.match(/.{1,4}/g));
    // It stands for two seconds; so the page itself looks, from before the click.
    const message = page.evaluate(`new Promise((resolve) => {
      const places = ["[data-copy=Pair-setup]", "#announcement"].map((one) => document.querySelector(one));
      new MutationObserver(() => {
        if (places.every((place) => place.textContent === "Copied")) resolve();
      }).observe(document.body, { childList: true, subtree: true });
    })`);
    await Promise.all([message, page.click("[data-copy=Pair-setup]")]);
    assertEquals(await page.evaluate("navigator.clipboard.readText()"), key);
  }, { permissions });
});

const BINDINGS = ["HTTP GET", "HTTP POST", "JSON", "SOAP 1.1", "SOAP 1.2"];

for (const binding of BINDINGS) {
  Deno.test(`by ${binding}, the request on the page is the one that is sent`, async () => {
    await visit(`${server.url}/api.asmx?op=ValidatePin`, async (page) => {
      const secret = "p\u00e4ss <w&\u00f6rd> \"'%+\\ \u{1f511}";
      await page.fill("#ValidatePin-secretCode", secret);
      await page.fill(PIN, "12 34");
      await choose(page, "ValidatePin", binding);
      const [request] = await Promise.all([
        page.waitForRequest((candidate) => /\.asmx(?!\/Pair)/.test(candidate.url())),
        page.click("text=Check the pin"),
      ]);
      assertMatch(await answer(page), /false/);
      const panes = panelOf(page, "ValidatePin").locator("pre");
      const [head, ...rest] = (await panes.first().textContent())!.split("\n\n");
      const [line, ...fields] = head!.split("\n");
      const { pathname, search, host } = new URL(request.url());
      assertEquals(line, `${request.method()} ${pathname}${search} HTTP/1.1`);
      const headers = await request.allHeaders();
      for (const field of fields.filter((text) => text !== "")) {
        const [name, value] = field.split(/: (.*)/s);
        const got = name === "Host" ? host : headers[name!.toLowerCase()];
        assertEquals([name, got], [name, value]);
      }
      assertEquals(request.postData() ?? "", rest.join("\n\n"));
      const shown = (await panes.nth(1).textContent())!;
      const reply = await (await request.response())!.text();
      assertEquals(shown.slice(shown.indexOf("\n\n") + 2), reply);
      assertMatch(shown, /^HTTP\/1\.1 200 OK\nContent-Type: /);
      assertMatch(await page.innerText("#ValidatePin .reply:visible figcaption"), /^Reply, \d+ ms/);
    });
  });

  Deno.test(`by ${binding}, the page shows the picture of the reply and the fault of a mistake`, async () => {
    await visit(`${server.url}/api.asmx?op=Pair`, async (page) => {
      await openFields(page);
      const before = await scan(page);
      await choose(page, "Pair", binding);
      await page.fill("#Pair-appName", "Another");
      await page.click("form button[type=submit]");
      assertMatch(await scanAnother(page, before), /totp\/Another:/);
      // At once: else a slow machine has the picture follow the field first, and be refused as well.
      await page.evaluate(`(() => {
        const field = document.querySelector("#Pair-appName");
        field.value = "x".repeat(257);
        field.dispatchEvent(new Event("input", { bubbles: true }));
        document.querySelector("form button[type=submit]").click();
      })()`);
      await shows(page, "#Pair-appName-error", "Parameter appName is longer than 256 characters.");
    }, { complaints: 1 });
  });
}

Deno.test("no secret is in an address, in a store, or in a page that is opened again", async () => {
  await visit(`${server.url}/`, async (page) => {
    const addresses: string[] = [];
    page.on("request", (request) => addresses.push(request.url()));
    const secret = await page.inputValue(PAIR_SECRET);
    await check(page, pinOf(await scan(page)));
    assertEquals(new Set(addresses).size > 0, true);
    assertEquals(addresses.filter((url) => /\?(?!disco$)/.test(url) || url.includes(secret)), []);
    assertEquals(
      await page.evaluate(
        "[localStorage.length, sessionStorage.length, document.cookie, location.search]",
      ),
      [0, 0, "", ""],
    );
    await page.reload();
    await scan(page);
    assert(await page.inputValue(PAIR_SECRET) !== secret);
    assertEquals(await page.inputValue(PIN), "");
  });
});

Deno.test("the page shows the time of the server and the seconds left of its step", async () => {
  await visit(`${server.url}/api.asmx?op=ValidatePin`, async (page) => {
    // It takes a reply for written half-way between its request and its coming, which is wrong where a
    // busy machine took seconds for either: then another visit shows it.
    const isRight = async (): Promise<boolean> => {
      await page.reload();
      await page.locator(".time", { hasText: /^\d\d:\d\d:\d\d$/ }).waitFor();
      const [shown, nowMs] = await page.evaluate<[string, number]>(
        "[document.querySelector('.time').textContent, Date.now()]",
      );
      const [h, m, s] = shown.split(":").map(Number);
      const off = Math.abs(h! * 3600 + m! * 60 + s! - Math.floor(nowMs / 1000) % 86_400);
      return Math.min(off, 86_400 - off) <= 3;
    };
    await eventually(isRight, "it shows the time");
    const left = Number(await page.innerText(".left"));
    assert(left >= 1 && left <= 30);
    assertEquals(await page.innerText(".skew"), "");
  });
});

Deno.test("a clock that is off is noticed", async () => {
  await visit("about:blank", async (page) => {
    await page.clock.install({ time: Date.now() - 60_000 });
    await page.goto(`${server.url}/`);
    await page.locator(".skew", {
      hasText: /^The clocks of this device and of the server differ by \d.*\.$/,
    })
      .waitFor();
  });
});

Deno.test("the keyboard is enough, and its place is always seen", async () => {
  await visit(`${server.url}/`, async (page) => {
    const uri = await scan(page);
    const visited: string[] = [];
    for (let presses = 0; presses < 120; presses++) {
      await page.keyboard.press("Tab");
      const [id, outline] = await page.evaluate<[string, string]>(
        "[document.activeElement.id || document.activeElement.textContent, getComputedStyle(document.activeElement).outlineStyle]",
      );
      assertEquals([id, outline], [id, "solid"]);
      visited.push(id);
      if (id === "Names, account, secret") await page.keyboard.press("Enter");
      if (id === "ValidatePin-pin") break;
    }
    const order = [
      "Skip to content",
      "Try it",
      "Build the login",
      "Names, account, secret",
      "Pair-appName",
      "Pair-appInfo",
      "Pair-secretCode",
      "Make the QR code",
      "Print",
      "ValidatePin-pin",
    ];
    const places = order.map((name) => visited.indexOf(name));
    assert(!places.includes(-1), visited.join(", "));
    assertEquals([...places].sort((a, b) => a - b), places);
    await page.keyboard.type(pinOf(uri));
    await page.keyboard.press("Enter");
    assertMatch(await answer(page), /true/);
  });
  await visit(`${server.url}/api.asmx?op=Pair`, async (page) => {
    await page.focus("#Pair-format-http-post");
    await page.keyboard.press("ArrowRight");
    assertMatch(await panelOf(page, "Pair").innerText(), /application\/json/);
    const label = "document.querySelector('label[for=Pair-format-json]')";
    assertEquals(await page.evaluate(`getComputedStyle(${label}).outlineStyle`), "solid");
    await page.keyboard.press("Tab");
    assertEquals(
      await page.evaluate("document.activeElement.getAttribute('aria-label')"),
      "Copy Pair Request",
    );
  });
});

Deno.test("without JavaScript, both forms show the reply of the service", async () => {
  const open = (act: (page: Page) => Promise<void>): Promise<void> =>
    visit(`${server.url}/api.asmx`, act, { javaScriptEnabled: false });
  const submit = async (page: Page, operation: string): Promise<string> => {
    const [reply] = await Promise.all([
      page.waitForResponse((candidate) => candidate.url().endsWith(`/${operation}`)),
      page.click(`form[data-operation=${operation}] button[type=submit]`),
    ]);
    assertEquals([reply.status(), reply.request().method()], [200, "POST"]);
    return await reply.text();
  };
  await open(async (page) => {
    assert(!await page.isVisible(".tile") && !await page.isVisible("[data-copy]"));
    assert(await page.isVisible(".no-js"));
    await page.fill(PAIR_SECRET, "12345678901234567890");
    const code = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    assert((await submit(page, "Pair")).includes(`<ManualSetupCode>${code}</ManualSetupCode>`));
    await page.waitForURL(`${server.url}/api.asmx/Pair`);
  });
  await open(async (page) => {
    await page.fill("#ValidatePin-secretCode", "12345678901234567890");
    const uri = "otpauth://totp/a:b?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=a";
    await page.fill(PIN, pinOf(uri));
    assertMatch(await submit(page, "ValidatePin"), /<boolean xmlns="[^"]+">true<\/boolean>$/);
  });
});

Deno.test("the picture can be scanned in the dark and on a telephone", async () => {
  await visit(`${server.url}/`, async (page) => {
    assertMatch(await scan(page), /^otpauth:/);
  }, { colorScheme: "dark", viewport: { width: 360, height: 640 } });
});

/** Prints the sheet of a pairing, as far as a browser without a printer does. */
async function printSheet(page: Page): Promise<void> {
  await page.evaluate("globalThis.print = () => {}");
  await page.click(".print");
  await page.emulateMedia({ media: "print" });
}

Deno.test("the button prints the pairing alone, and the browser's command the page without it", async () => {
  await visit(`${server.url}/`, async (page) => {
    const uri = await scan(page);
    await page.emulateMedia({ media: "print" });
    const reference = await page.innerText("body");
    assertMatch(reference, /^Authenticator\b[^]*\bPair\b[^]*\bParameters\b/);
    assert(!reference.includes("Destroy this sheet") && !await page.isVisible(".tile"));
    await page.emulateMedia({ media: "screen" });
    await printSheet(page);
    assertEquals(await scan(page), uri);
    const text = await page.evaluate<string>("document.body.innerText");
    assertMatch(text, /^Example Corp \(jane@example\.com\)\s+Or type in this setup key/);
    assert(text.includes("Destroy this sheet") && !text.includes("ValidatePin"));
    assertEquals(await page.locator("input:visible").count(), 0);
    assertMatch(text, /Choose time-based in the app\./);
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    assertMatch(await page.innerText("body"), /\bParameters\b/);
  }, { colorScheme: "dark" });
});

Deno.test("printed on landscape paper, the pairing fits one sheet", async () => {
  await visit(`${otherServer.url}/`, async (page) => {
    await scan(page);
    await printSheet(page);
    const high = await page.evaluate<number>("document.documentElement.scrollHeight");
    assert(high <= 794, `${high} px`);
    const text = await page.evaluate<string>("document.body.innerText");
    assertMatch(text, /Choose time-based, 8 digits, a period of 60 seconds, SHA256 in the app\./);
  }, { viewport: { width: 1123, height: 794 } });
});

Deno.test("a pairing whose picture is to be fetched is shown and works", async () => {
  await visit(`${imageServer.url}/`, async (page) => {
    await openFields(page);
    const addresses: string[] = [];
    page.on("request", (request) => addresses.push(request.url()));
    await page.click(".random");
    const uri = await scan(page);
    assertEquals(addresses.filter((url) => /secret|otpauth/.test(url)), []);
    assertEquals(await page.getAttribute(".open", "href"), uri);
    assertMatch(await check(page, pinOf(uri)), /true/);
  });
});

Deno.test("where a key is required, Pair is called with a whole key, and not before", async () => {
  await visit("about:blank", async (page) => {
    const calls: (string | null)[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/Pair")) calls.push(request.headers()["x-api-key"] ?? null);
    });
    await page.goto(`${lockedServer.url}/`);
    await page.locator(".time", { hasText: /^\d\d:/ }).waitFor();
    await page.locator(".now:enabled").waitFor();
    await page.locator(".pairing[aria-busy=false]").waitFor();
    assertMatch(await page.innerText(".tile"), /appears when you enter your API key, or press/);
    assert(await page.isVisible("#Pair-appName"));
    // A refused key makes the browser show its login dialog.
    await page.locator("#key").pressSequentially(KEY, { delay: 50 });
    assertEquals(calls, []);
    await page.keyboard.press("Tab");
    assertMatch(await check(page, pinOf(await scan(page))), /true/);
    assertEquals(calls, [KEY]);
    assert(!await page.isVisible("#Pair-appName"));
    // Without a typed key, the browser's own is sent again; fields that were opened stay open.
    await openFields(page);
    await page.fill("#key", "");
    await page.keyboard.press("Tab");
    await eventually(() => calls.length > 1, "the picture follows the emptied field");
    assertEquals(calls, [KEY, null]);
    await page.locator(".pairing[aria-busy=false]").waitFor();
    assert(await page.isVisible("#Pair-appName"));
  }, { httpCredentials: { username: "me", password: KEY } });
});

Deno.test("a key that the browser has serves for the forms too", async () => {
  await visit(`${lockedServer.url}/`, async (page) => {
    await page.click("text=Make the QR code");
    const first = await scan(page);
    // The picture follows the fields then.
    await page.fill("#Pair-appName", "Another");
    assertMatch(await scanAnother(page, first), /totp\/Another:/);
    assertMatch(await check(page, pinOf(await scan(page))), /true/);
  }, { httpCredentials: { username: "me", password: KEY } });
});

Deno.test("a key that no header field can hold is not sent, and the page has an error", async () => {
  await visit(`${lockedServer.url}/`, async (page) => {
    await page.fill("#key", "\u043a\u043b\u044e\u0447");
    await page.fill(PIN, "1");
    await page.click("form[data-operation=ValidatePin] button[type=submit]");
    assertMatch(await answer(page), /has a character that no header field can hold/);
    await shows(page, "#key-error", await answer(page));
    assertEquals(await page.getAttribute("#key", "aria-invalid"), "true");
    await page.fill("#key", KEY);
    assert(!await page.isVisible("#key-error"));
    await page.click("form[data-operation=ValidatePin] button[type=submit]");
    assertMatch(await answer(page), /^false/);
    assertMatch(
      await page.innerText("#ValidatePin .reply:visible pre"),
      /\nX-Request-Id: [\w-]+\n/,
    );
  }, { httpCredentials: { username: "me", password: KEY } });
});

Deno.test("codes of other settings are checked too", async () => {
  await visit(`${otherServer.url}/`, async (page) => {
    const uri = await scan(page);
    assertMatch(uri, /&algorithm=SHA256&digits=8&period=60$/);
    assertMatch(await check(page, pinOf(uri)), /true/);
    assertEquals(await page.getAttribute("progress", "max"), "60");
  });
});
