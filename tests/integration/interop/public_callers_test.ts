/**
 * Every known public caller (wire.md §9.10) against this server: it calls, and cuts the reply apart,
 * in its own way. All run with `--html image`, which callers need that cut the Html of an operation
 * apart; clients_test.ts has the default form.
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { keyUriOf } from "./accounts.ts";
import { referenceBase32 } from "../../support/reference_base32.ts";
import {
  compileCallers,
  pairPong,
  pairWith,
  PUBLIC_CALLERS,
  removeCallers,
  runCaller,
} from "./callers/callers.ts";
import { codeOf, currentStep, wrongCode } from "./oath.ts";
import { scanAddress } from "../../support/scan.ts";
import { PATIENT, serverForTests } from "../../support/test_server.ts";

const server = serverForTests("--html", "image", ...PATIENT);
const plainServer = serverForTests();
Deno.test.beforeAll(compileCallers);
Deno.test.afterAll(removeCallers);

// The one whose reply of the original service is known to the byte.
const ACCOUNT = { appName: "goldmember_manager", appInfo: "james", secretCode: "YJO8LCQTMFU4" };
const SETUP_CODE = "LFFE6OCMINIVITKGKU2A";

const PICTURE = "/qr.aspx?size=300x300&data=otpauth%3A%2F%2Ftotp%2Fgoldmember_manager%3Ajames" +
  `%3Fsecret%3D${SETUP_CODE}%26issuer%3Dgoldmember_manager`;

// Those that only put an address into a page; that of row 22 is in tests/exchanges/short_routes.md.
const ROWS_OF_PAGES = [22, 23];

/** The Html in the byte shape of the original. */
function originalHtml(url: string): string {
  return `<a title='Manually pair with ${SETUP_CODE}' href='${url}'>` +
    `<img src='${url}${PICTURE}' border=0></a>`;
}

Deno.test("the account of these tests has the setup code that the original gave", () => {
  assertEquals(referenceBase32(ACCOUNT.secretCode), SETUP_CODE);
});

Deno.test("every row of the list of public callers is here", () => {
  const rows = new Set([...PUBLIC_CALLERS.map(({ row }) => row), ...ROWS_OF_PAGES]);
  assertEquals([...rows].sort((a, b) => a - b), Array.from({ length: 24 }, (_, i) => i + 1));
});

for (const { row, what, pair, validate } of PUBLIC_CALLERS) {
  if (pair !== undefined) {
    Deno.test(`public caller ${row} (${what}) pairs`, async () => {
      const found = await pair(server.url, ACCOUNT);
      const { setupCode = SETUP_CODE, picture, html = originalHtml(server.url) } = found;
      assertEquals([setupCode, html], [SETUP_CODE, originalHtml(server.url)]);
      assert(picture !== undefined || "html" in found, "It found neither a picture nor the Html");
      const address = picture ?? /src='([^']*)'/.exec(html)![1]!;
      assertEquals(await scanAddress(address), keyUriOf(ACCOUNT));
    });
  }

  if (validate !== undefined) {
    Deno.test(`public caller ${row} (${what}) accepts the right pin`, async () => {
      const pin = await codeOf(ACCOUNT.secretCode, currentStep());
      assertEquals(await validate(server.url, { pin, secretCode: ACCOUNT.secretCode }), true);
    });

    Deno.test(`public caller ${row} (${what}) refuses a wrong pin`, async () => {
      const pin = await wrongCode(ACCOUNT.secretCode);
      assertEquals(await validate(server.url, { pin, secretCode: ACCOUNT.secretCode }), false);
    });
  }
}

Deno.test("public caller 2 (NestJS) finds no chl=, which the original dropped in 2024", async () => {
  const image = await pairPong(server.url, ACCOUNT);
  assertEquals(image, { html: originalHtml(server.url) });
  const svg = await pairPong(plainServer.url, ACCOUNT);
  assertEquals(Object.keys(svg), ["html"]);
});

Deno.test("public caller 2 (NestJS) would still get a picture by its chl= address", async () => {
  const uri = encodeURIComponent(keyUriOf(ACCOUNT));
  const address = `${server.url}/qr.aspx?cht=qr&chs=300x300&chl=${uri}`;
  assertEquals(await scanAddress(address), keyUriOf(ACCOUNT));
});

Deno.test("public caller 9 (C#, secret for secretCode) gets an error, as from the original", async () => {
  assertEquals(await runCaller("csharp", "9", "ValidatePin", server.url, "000000", "s"), {
    status: "400", // 500 from the original; both make its WebClient throw.
  });
});

Deno.test("public caller 12 (Java) gets the picture in the size of its request", async () => {
  const java = PUBLIC_CALLERS.find(({ row }) => row === 12)!;
  const found = await java.pair!(server.url, ACCOUNT);
  assertEquals(found, {
    picture: `${server.url}${PICTURE.replace("300x300", "128x128")}`,
    size: "128x128",
  } as object);
});

/** A secret whose code of now begins with the digit, and that code. */
async function secretWithCode(begins: RegExp): Promise<{ secretCode: string; pin: string }> {
  for (let i = 0;; i++) {
    const pin = await codeOf(`s${i}`, currentStep());
    if (begins.test(pin)) return { secretCode: `s${i}`, pin };
  }
}

const NUMBERS = [[19, "Python", "python", "int"], [20, "PHP", "php", "20-int"]] as const;

for (const [row, what, language, way] of NUMBERS) {
  const caller = PUBLIC_CALLERS.find((candidate) => candidate.row === row)!;

  Deno.test(`public caller ${row} (${what}, the pin as a number) is refused a leading zero`, async () => {
    const { secretCode, pin } = await secretWithCode(/^0/);
    // As by the original: a pin is text, and the same caller with the text is accepted.
    assertEquals(await runCaller(language, way, "ValidatePin", server.url, pin, secretCode), {
      accepted: "false",
    });
    assertEquals(await caller.validate!(server.url, { pin, secretCode }), true);
  });

  Deno.test(`public caller ${row} (${what}, the pin as a number) works without one`, async () => {
    const { secretCode, pin } = await secretWithCode(/^[1-9]/);
    assertEquals(await runCaller(language, way, "ValidatePin", server.url, pin, secretCode), {
      accepted: "true",
    });
  });
}

Deno.test("public caller 23 (a page) may show the picture of qr.aspx", async () => {
  const uri = encodeURIComponent(keyUriOf(ACCOUNT));
  const response = await fetch(`${server.url}/qr.aspx?size=180x180&data=${uri}`, {
    headers: {
      "Referer": "https://example.com/",
      "Sec-Fetch-Dest": "image",
      "Sec-Fetch-Mode": "no-cors",
      "Sec-Fetch-Site": "cross-site",
    },
  });
  await response.body?.cancel();
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("content-type"), "image/png");
  assertEquals(response.headers.get("cross-origin-resource-policy"), null);
  assertEquals(await scanAddress(response.url), keyUriOf(ACCOUNT));
});

Deno.test("without --html image, a caller that cuts the Html of an operation finds an SVG", async () => {
  const { html } = await pairWith("php", "7")(plainServer.url, ACCOUNT);
  assertMatch(
    html!,
    /^<a title='Manually pair with LFFE6OCMINIVITKGKU2A' href='otpauth:[^']*'><svg /,
  );
});
