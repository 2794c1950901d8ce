/** What a person learns on the page who has no phone, or whose pins fail. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import type { Page } from "playwright-core";
import { serverForTests } from "../../support/test_server.ts";
import { eventually } from "../../support/eventually.ts";
import { referenceBase32 } from "../../support/reference_base32.ts";
import { referenceHotp } from "../../support/reference_totp.ts";
import { openFields, shows, visit } from "./browser.ts";
import { pinOf, scan, scanAnother } from "./pairing.ts";

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

Deno.test("the codes around now are accepted and refused by the window", async () => {
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

type Pin = () => string;

const CAUSES: readonly (readonly [what: string, secret: string, pin: Pin, says: RegExp])[] = [
  [
    "has expired",
    TEXT,
    () => referenceHotp(TEXT, nowStep() - 5),
    /The pin has expired: it was right .* ago/,
  ],
  [
    "is of another hash",
    TEXT,
    () => referenceHotp(TEXT, nowStep(), { algorithm: "SHA256", digits: 6 }),
    /makes codes with SHA256/,
  ],
];

for (const [what, secret, pin, says] of CAUSES) {
  Deno.test(`a pin that ${what} is explained`, async () => {
    await visit(`${server.url}/api.asmx?op=ValidatePin`, async (page) => {
      await page.locator(".time", { hasText: /^\d\d:/ }).waitFor();
      await page.fill(SECRET, secret);
      await page.fill(PIN, pin());
      assertEquals(await check(page), "false");
      assertMatch(await reasons(page), says);
      await page.fill(PIN, "1");
      assert(!await page.isVisible(".reasons"));
    });
  });
}

Deno.test("the code of a secret that the page had before is named as such", async () => {
  await visit(`${hourly.url}/`, async (page) => {
    await openFields(page);
    const before = await scan(page);
    await page.click("[data-operation=Pair] .random");
    await scanAnother(page, before);
    await page.fill(PIN, pinOf(before));
    assertEquals(await check(page), "false");
    await page.locator(".reasons p", { hasText: "a secret that this page had before" }).waitFor();
  });
});

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

Deno.test("a new secret has the form that the server reads", async () => {
  await visit(`${server.url}/api.asmx?op=Pair`, async (page) => {
    await openFields(page);
    for (let i = 0; i < 20; i++) {
      await page.click(".random");
      const secret = await page.inputValue("#Pair-secretCode");
      assertMatch(secret, /^(?=.*9)[A-Za-z0-9]{28}$/);
      assert(!await page.isVisible(".kind > span"));
    }
  });
  await visit(`${base32.url}/api.asmx?op=Pair`, async (page) => {
    await openFields(page);
    assertMatch(await page.inputValue("#Pair-secretCode"), /^[A-Z2-7]{32}$/);
    assert(!await page.isVisible(".kind > span"));
  });
});

Deno.test("a secret typed once is in both forms, and in no address or store", async () => {
  await visit(`${server.url}/api.asmx?op=Pair`, async (page) => {
    const addresses: string[] = [];
    page.on("request", (request) => addresses.push(request.url()));
    const before = await scan(page);
    assertEquals(await page.inputValue(SECRET), await page.inputValue("#Pair-secretCode"));
    const secret = "typed below 0123456789";
    await page.fill(SECRET, secret);
    const uri = await scanAnother(page, before);
    assertEquals(await page.inputValue("#Pair-secretCode"), secret);
    await page.fill(PIN, pinOf(uri));
    assertEquals(await check(page), "true");
    assertEquals(addresses.filter((url) => url.includes("typed")), []);
    assertEquals(
      await page.evaluate(
        "[localStorage.length, sessionStorage.length, document.cookie, history.state]",
      ),
      [0, 0, "", null],
    );
  });
});

Deno.test("without a secret, the form of the pin offers one", async () => {
  await visit(`${server.url}/api.asmx?op=ValidatePin`, async (page) => {
    assert(!await page.isVisible(".begin"));
    await page.fill(SECRET, "");
    await page.focus(".begin .random");
    await page.keyboard.press("Enter");
    assertEquals(await page.evaluate("document.activeElement.name"), "pin");
    assertMatch(await page.inputValue(SECRET), /^(?=.*9)[A-Za-z0-9]{28}$/);
    assert(!await page.isVisible(".begin"));
    const uri = await scan(page);
    // A time step may begin between the two, and the page shows a second later.
    await eventually(
      async () => (await page.innerText(".now .code")).replace(" ", "") === pinOf(uri),
      "the code is the one of the picture",
    );
  });
});

Deno.test("what is pasted into the field of the secret is named", async () => {
  const rows = [
    [server, referenceBase32(TEXT), /looks like a setup key .* made from: 12345678901234567890$/],
    [server, TEXT, /^$/],
    [base32, BASE32, /^$/],
    [base32, `otpauth://totp/a:b?secret=${BASE32}`, /only its secret: JBSWY3DPEHPK3PXP/],
  ] as const;
  for (const [{ url }, secret, says] of rows) {
    await visit(`${url}/api.asmx?op=ValidatePin`, async (page) => {
      await page.fill(SECRET, secret);
      assertMatch(
        await page.locator("[data-operation=ValidatePin] .kind").innerText(),
        says,
        secret,
      );
      // The server refuses what is not Base32.
    }, { complaints: secret.startsWith("otpauth") ? 1 : 0 });
  }
});

Deno.test("the computation of a code ends with the code of the test authenticator", async () => {
  await visit(`${hourly.url}/`, async (page) => {
    await earlyInStep(page);
    const part = (name: string): Promise<string> =>
      page.locator(`[data-part=${name}]`).last().innerText();
    assertEquals(await part("code"), (await page.innerText(".now .code")).replace(" ", ""));
    assertEquals(await part("step"), String(Math.floor(Date.now() / 3_600_000)));
    await page.fill(SECRET, "");
    await shows(page, "[data-part=mac]", "-");
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
      // The picture follows the secret, and the server refuses what is not Base32.
      await page.route("**/api.asmx/Pair", () => {});
      const note = page.locator("[data-operation=ValidatePin] .length-warning");
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
      await openFields(page);
      await scan(page);
      // What is put into the page only later is not read out.
      const notes = await page.evaluate<string[]>(`
        [...document.querySelectorAll(".length-warning")]
          .map((one) => one.role + " " + getComputedStyle(one).display)
      `);
      assertEquals(notes, ["status block", "status block"]);
      await page.fill("#Pair-secretCode", "abc");
      assertEquals(await page.locator(".length-warning:visible").count(), 1);
      const note = (await page.locator(".length-warning:visible").boundingBox())!;
      const tile = (await page.locator(".tile").boundingBox())!;
      const isAbove = note.y + note.height <= tile.y;
      const isBeside = note.x >= tile.x + tile.width && note.y < tile.y + tile.height;
      assert(isAbove || isBeside, `${width} px: ${JSON.stringify([note, tile])}`);
      await page.click(".random");
      assertEquals(await page.locator(".length-warning:visible").count(), 0);
    }, { viewport: { width, height: 800 } });
  }
});
