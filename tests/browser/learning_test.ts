/** What a person learns on the page who has no phone, or whose pins fail. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import type { Page } from "playwright-core";
import { diagnose } from "../../lib/otp/diagnosis/diagnosis.ts";
import { serverForTests } from "../interop/server.ts";
import { eventually } from "../support/eventually.ts";
import { referenceHotp } from "../support/reference_totp.ts";
import { configOf } from "../support/servers.ts";
import { shows, visit } from "./browser.ts";
import { pinOf, scan } from "./pairing.ts";

const server = serverForTests();
// Steps of an hour: else a slow test reads a code in one step, and uses it in the next.
const HOUR = ["--period", "3600"];
const hourly = serverForTests(...HOUR);
const strict = serverForTests(...HOUR, "--single-use", "--max-failures", "5");
const base32 = serverForTests("--secret-encoding", "base32");

const PIN = "#ValidatePin-pin";
const SECRET = "#ValidatePin-secretCode";
const CHECK = "form[data-operation=ValidatePin] button[type=submit]";

async function check(page: Page): Promise<string> {
  await page.click(CHECK);
  await page.locator(".answer b").waitFor();
  return await page.innerText(".answer b");
}

/** Waits for a time step that is not about to end, and for its code. */
async function earlyInStep(page: Page): Promise<void> {
  await page.locator(".time", { hasText: /^\d\d:/ }).waitFor();
  const isEarly = async (): Promise<boolean> => Number(await page.innerText(".left")) > 60;
  await eventually(isEarly, "a time step began", 120_000);
  const uri = await scan(page);
  const pin = pinOf(uri);
  await shows(page, ".now .code", `${pin.slice(0, 3)} ${pin.slice(3)}`);
}

async function reasons(page: Page): Promise<string> {
  await page.locator(".reasons li, .reasons small").first().waitFor();
  return await page.innerText(".reasons");
}

Deno.test("a person without a phone reaches true with two clicks", async () => {
  await visit(`${hourly.url}/`, async (page) => {
    const uri = await scan(page);
    await earlyInStep(page);
    await page.click(".now");
    assertEquals(await page.inputValue(PIN), pinOf(uri));
    assertEquals(await page.evaluate("document.activeElement.type"), "submit");
    assertEquals(await check(page), "true");
  });
});

Deno.test("the codes around now are accepted and refused as the window says", async () => {
  await visit(`${hourly.url}/`, async (page) => {
    await earlyInStep(page);
    const answers: Record<string, string> = {};
    for (const step of ["-2", "-1", "0", "1", "2"]) {
      await page.click(`[data-step="${step}"]`);
      answers[step] = await check(page);
    }
    assertEquals(answers, { "-2": "false", "-1": "true", "0": "true", "1": "true", "2": "false" });
    const words = await page.locator(".taken").allInnerTexts();
    assertEquals(words, ["refused", "accepted", "accepted", "refused"]);
  });
});

const TEXT = "12345678901234567890";
const BASE32 = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
const nowStep = (): number => Math.floor(Date.now() / 30_000);

/**
 * A code of another secret, and by chance of nothing else: so many days, hashes and periods are
 * searched that one code in fifty or so looks like one of those.
 */
async function strangePin(): Promise<string> {
  for (let number = 0;; number++) {
    const pin = referenceHotp(`another secret, number ${number}`, nowStep());
    const { match } = await diagnose({ pin, secretCode: TEXT }, configOf([]), Date.now());
    if (match === undefined) return pin;
  }
}

type Pin = () => string | Promise<string>;

const CAUSES: readonly (readonly [what: string, secret: string, pin: Pin, says: RegExp])[] = [
  [
    "has expired",
    TEXT,
    () => referenceHotp(TEXT, nowStep() - 5),
    /The pin has expired: it was right .* ago/,
  ],
  [
    "is of a phone that is ahead",
    TEXT,
    () => referenceHotp(TEXT, nowStep() + 9),
    /the phone's clock is that far ahead/,
  ],
  ["is of the secret as Base32", BASE32, () => {
    const bytes = [...BASE32].map((c) =>
      "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(c).toString(2).padStart(5, "0")
    )
      .join("").match(/.{8}/g)!.map((bits) => parseInt(bits, 2));
    return referenceHotp(new Uint8Array(bytes), nowStep());
  }, /The app takes the secret as Base32/],
  [
    "is of the secret without the space",
    `${TEXT} `,
    () => referenceHotp(TEXT, nowStep()),
    /without the spaces or line breaks around it/,
  ],
  [
    "has a hyphen in it",
    TEXT,
    () => referenceHotp(TEXT, nowStep()).replace(/^.../, "$&-"),
    /contains hyphens/,
  ],
  [
    "is of another hash",
    TEXT,
    () => referenceHotp(TEXT, nowStep(), { algorithm: "SHA256", digits: 6 }),
    /makes codes with SHA256/,
  ],
  [
    "is of another account",
    TEXT,
    strangePin,
    /another account or another secret/,
  ],
];

for (const [what, secret, pin, says] of CAUSES) {
  Deno.test(`a pin that ${what} is explained`, async () => {
    await visit(`${server.url}/api.asmx?op=ValidatePin`, async (page) => {
      await page.locator(".time", { hasText: /^\d\d:/ }).waitFor();
      await page.fill(SECRET, secret);
      await page.fill(PIN, await pin());
      assertEquals(await check(page), "false");
      assertMatch(await reasons(page), says);
      await page.fill(PIN, "1");
      assert(!await page.isVisible(".reasons"));
    });
  });
}

Deno.test("a right pin that is refused is explained by the settings", async () => {
  await visit(`${strict.url}/`, async (page) => {
    await earlyInStep(page);
    await page.click(".now");
    assertEquals(await check(page), "true");
    await page.click(CHECK);
    await page.locator(".answer.bad b").waitFor();
    const said = await reasons(page);
    assertMatch(said, /The pin is right, but the server refused it/);
    assertMatch(said, /already used, and each code is accepted only once \(--single-use\)/);
    assertMatch(said, /After 5 or more wrong pins, .* refused for a while \(--max-failures\)/);
    // In one piece: a line may end after a hyphen.
    const options = await page.locator(".reasons li code").allInnerTexts();
    assertEquals(options, ["--single-use", "--max-failures"]);
  });
});

Deno.test("a new secret looks like what the server takes it for", async () => {
  await visit(`${server.url}/api.asmx?op=Pair`, async (page) => {
    for (let i = 0; i < 20; i++) {
      await page.click(".random");
      const secret = await page.inputValue("#Pair-secretCode");
      assertMatch(secret, /^[\w-]{24}$/);
      assertMatch(secret, /[0189_]/);
      assertMatch(secret, /[a-z]/);
    }
  });
  await visit(`${base32.url}/api.asmx?op=Pair`, async (page) => {
    assertMatch(await page.inputValue("#Pair-secretCode"), /^[A-Z2-7]{32}$/);
  });
});

Deno.test("what was typed goes from view to view and back, in memory alone", async () => {
  await visit(`${server.url}/api.asmx?op=Pair`, async (page) => {
    const addresses: string[] = [];
    page.on("request", (request) => addresses.push(request.url()));
    const uri = await scan(page);
    const secret = await page.inputValue("#Pair-secretCode");
    await page.fill("#Pair-appName", "Kept");
    await page.click("nav a:has-text('ValidatePin')");
    await page.waitForURL(/\/api\.asmx\?op=ValidatePin$/);
    await shows(page, "h1", "ValidatePin");
    assertEquals(await page.title(), "ValidatePin - Authenticator");
    assertEquals(await page.inputValue(SECRET), secret);
    await page.fill(PIN, pinOf(uri));
    assertEquals(await check(page), "true");
    await page.goBack();
    await shows(page, "h1", "Pair");
    assertEquals(await page.inputValue("#Pair-secretCode"), secret);
    assertEquals(await page.inputValue("#Pair-appName"), "Kept");
    assertMatch(await scan(page), /totp\/Kept:/);
    await page.click("nav a:has-text('WSDL')");
    await page.waitForURL(/\/api\.asmx#wsdl$/);
    await page.locator("#wsdl").waitFor();
    assertEquals(await page.inputValue(SECRET), secret);
    assertEquals(addresses.filter((url) => url.includes(secret)), []);
    assertEquals(
      await page.evaluate(
        "[localStorage.length, sessionStorage.length, document.cookie, history.state]",
      ),
      [0, 0, "", null],
    );
  });
});

Deno.test("the language that was chosen stays chosen", async () => {
  await visit(`${server.url}/api.asmx?op=Pair`, async (page) => {
    await page.getByText("Python", { exact: true }).first().click();
    await page.click("nav a:has-text('ValidatePin')");
    await shows(page, "h1", "ValidatePin");
    assert(await page.getByText("urllib.request.Request(").isVisible());
  });
});

Deno.test("a reload asks first, once a person has begun", async () => {
  await visit(`${server.url}/`, async (page) => {
    const asked: string[] = [];
    page.on("dialog", async (dialog) => {
      asked.push(dialog.type());
      await dialog.accept();
    });
    await scan(page);
    await page.reload();
    assertEquals(asked, []);
    await scan(page);
    await page.click(".random");
    await page.reload();
    assertEquals(asked, ["beforeunload"]);
  });
});

Deno.test("programs on the page follow the form", async () => {
  await visit(`${server.url}/api.asmx?op=ValidatePin`, async (page) => {
    await page.fill(SECRET, `it's "$x" \\ \u{1f511}`);
    const texts = await page.locator("#code pre").allTextContents();
    const written = [
      String.raw`'secretCode=it'\''s "$x" \ 🔑'`,
      String.raw`"it's \"$x\" \\ 🔑"`,
      String.raw`'it\'s "$x" \\ 🔑'`,
    ];
    for (const text of written) assert(texts.some((each) => each.includes(text)), text);
  });
});

Deno.test("programs follow the format that is chosen, with what was typed, and go on to the next view", async () => {
  await visit(`${server.url}/api.asmx?op=Pair`, async (page) => {
    const program = page.locator("#code input:checked + label + .panel pre");
    await page.fill("#Pair-appInfo", "o'neill <b>");
    await page.click("#code label:text-is('Python')");
    assertMatch(await program.innerText(), /urllib\.parse\.urlencode/);
    const formats = [["JSON", /json\.dumps/], ["SOAP 1.2", /application\/soap\+xml/]] as const;
    for (const [format, sign] of formats) {
      await page.click(`#calls label:text-is('${format}')`);
      await page.locator(`#snippets[data-format="${format}"]`).waitFor();
      const text = await program.innerText();
      assertMatch(text, sign);
      assert(text.includes(`"o'neill <b>"`), text);
    }
    await page.click("#code label:text-is('curl')");
    assert((await program.innerText()).includes("o'\\''neill &#60;b&#62;"));
    // The next view comes with them: one that is asked for later would be seen to change.
    const loaded: string[] = [];
    page.on("request", (request) => {
      // The picture may be asked for as late as now.
      if (request.method() === "GET") loaded.push(new URL(request.url()).search);
    });
    await page.click("nav a:text-is('ValidatePin')");
    await shows(page, "h1", "ValidatePin");
    assertMatch(await program.innerText(), /application\/soap\+xml/);
    assertEquals(loaded, ["?op=ValidatePin&format=SOAP+1.2"]);
    assert(!page.url().includes("format"));
  });
});

Deno.test("programs of a format that is not wanted any more are not shown", async () => {
  await visit(`${server.url}/api.asmx?op=ValidatePin`, async (page) => {
    let go = (): void => {};
    const held = new Promise<void>((resolve) => go = resolve);
    await page.route("**/*format=JSON", async (route) => {
      await held;
      await route.continue();
    });
    const [request] = await Promise.all([
      page.waitForRequest("**/*format=JSON"),
      page.click("#calls label:text-is('JSON')"),
    ]);
    await page.click("#calls label:text-is('HTTP POST')");
    go();
    await (await request.response())!.finished();
    // Whatever becomes of it is done when the page has had another reply.
    await page.evaluate("fetch('?disco').then((reply) => reply.text())");
    assertEquals(await page.getAttribute("#snippets", "data-format"), "HTTP POST");
  });
});

Deno.test("a secret that is short or long is called so, calmly, in either encoding", async () => {
  const rows = [
    [server, "fifteen chars..", "shorter than 16 bytes"],
    [server, "sixteen chars...", ""],
    [server, "\u00fc".repeat(8), ""],
    [server, "\u00fc".repeat(32), ""],
    [server, "x".repeat(65), "longer than 64 bytes"],
    [base32, "ABCDEFGHIJKLMNOPQRSTUVWX", "shorter than 16 bytes"],
    [base32, "ABCDEFGHIJKLMNOPQRSTUVWXYZ", ""],
    [base32, "A".repeat(104), "longer than 64 bytes"],
    [base32, "not base32 1", ""],
  ] as const;
  for (const [{ url }, secret, warning] of rows) {
    await visit(`${url}/api.asmx?op=ValidatePin`, async (page) => {
      const note = page.locator(".short");
      assertEquals(await note.isVisible(), false);
      await page.fill(SECRET, secret);
      const text = await note.innerText();
      assert(text.includes(warning) && (text === "") === (warning === ""), `${secret}: ${text}`);
      assertEquals(await note.isVisible(), warning !== "", secret);
      await page.fill(SECRET, "");
      assertEquals(await note.isVisible(), false);
    });
  }
});

Deno.test("a short secret is warned of once, above or beside the picture, and read out", async () => {
  for (const width of [1280, 768, 320]) {
    await visit(`${server.url}/`, async (page) => {
      await scan(page);
      // What is put into the page only later is not read out.
      const notes = await page.evaluate<string[]>(`
        [...document.querySelectorAll(".short")]
          .map((one) => one.role + " " + getComputedStyle(one).display)
      `);
      assertEquals(notes, ["status block", "status block"]);
      await page.fill("#Pair-secretCode", "abc");
      assertEquals(await page.locator(".short:visible").count(), 1);
      const note = (await page.locator(".short:visible").boundingBox())!;
      const tile = (await page.locator(".tile").boundingBox())!;
      const isAbove = note.y + note.height <= tile.y;
      const isBeside = note.x >= tile.x + tile.width && note.y < tile.y + tile.height;
      assert(isAbove || isBeside, `${width} px: ${JSON.stringify([note, tile])}`);
      await page.click(".random");
      assertEquals(await page.locator(".short:visible").count(), 0);
    }, { viewport: { width, height: 800 } });
  }
});
