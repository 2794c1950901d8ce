/** The library as its users call it; what it answers over HTTP is in the exchanges. */

import { randomBytes } from "node:crypto";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { assertThrows } from "@std/assert/throws";
import { type AuthenticatorOptions, createAuthenticator, Fault } from "../../lib/mod.ts";
import { servicePage } from "../../lib/page/page.ts";
import { freePort } from "../support/free_port.ts";
import { referenceHotp } from "../support/reference_totp.ts";
import { openByJose, SEAL_KEY_LINES, sealByJose } from "../support/seal_keys.ts";

// The self-check of a service may outlive a test that calls nothing.
Deno.test.sanitizer({ ops: false });

const secretCode = "correct horse battery";
const now = (): number => 1_500_000_000_000;
const pin = referenceHotp(secretCode, 1_500_000_000 / 30);
const URL_OF_PIN = `http://localhost/api.asmx/ValidatePin?pin=${pin}&secretCode=${
  encodeURIComponent(secretCode)
}`;

Deno.test("createAuthenticator() answers requests, checks pins and pairs with the defaults of the server", async () => {
  const { fetch, validatePin, pair } = createAuthenticator({}, { now });
  assert((await (await fetch(new Request(URL_OF_PIN))).text()).includes(">true<"));
  assertEquals(await validatePin({ pin, secretCode }), true);
  assertEquals(await validatePin({ pin: "000000", secretCode }), false);
  const { ManualSetupCode, Html } = pair({ appName: "Example", appInfo: "jane", secretCode });
  assertEquals(ManualSetupCode, "MNXXE4TFMN2CA2DPOJZWKIDCMF2HIZLSPE");
  assert(Html.startsWith("<a title='") && Html.includes("<svg "));
});

Deno.test("createAuthenticator() has one guard for calls over HTTP and in process", async () => {
  const { fetch, validatePin, operatorFetch } = createAuthenticator(
    { singleUse: true, maxFailures: 2 },
    { now },
  );
  assertEquals(await validatePin({ pin, secretCode }), true);
  assert((await (await fetch(new Request(URL_OF_PIN))).text()).includes(">false<"));
  for (let i = 0; i < 2; i++) await validatePin({ pin: "1", secretCode: "another" });
  const init = { method: "POST", body: "another" };
  const unlocked = await operatorFetch(new Request("http://127.0.0.1/guard/unlock", init));
  assertEquals((await unlocked.json()).remembered, true);
});

Deno.test("createAuthenticator() without a page names the descriptions, and with one has it", async () => {
  const request = new Request("http://localhost/api.asmx");
  const reply = await createAuthenticator().fetch(request);
  assertEquals(reply.status, 404);
  assertEquals(
    await reply.text(),
    "The service is described at ?wsdl, and at /openapi.json.\r\n",
  );
  const wsdl = await createAuthenticator().fetch(new Request("http://localhost/api.asmx?wsdl"));
  assertEquals(wsdl.headers.get("content-type"), "text/xml; charset=utf-8");
  const page = await createAuthenticator({}, { page: servicePage }).fetch(request);
  assert((await page.text()).includes("<form "));
});

Deno.test("createAuthenticator() requires a configured API key, only over HTTP", async () => {
  const { fetch, validatePin } = createAuthenticator(
    { apiKeys: ["shop:0123456789abcdef"] },
    { now },
  );
  assertEquals((await fetch(new Request(URL_OF_PIN))).status, 401);
  const headers = { "x-api-key": "0123456789abcdef" };
  assertEquals((await fetch(new Request(URL_OF_PIN, { headers }))).status, 200);
  assertEquals(await validatePin({ pin, secretCode }), true);
});

const WRONG: readonly (readonly [AuthenticatorOptions, string])[] = [
  [{ digits: 9 }, "digits must be a whole number from 6 to 8."],
  ...["2", NaN, null, 1.5, true].map((window) =>
    [
      { window } as unknown as AuthenticatorOptions,
      "window must be a whole number from 0 to 100.",
    ] as const
  ),
  [
    { algorithm: "sha1" } as unknown as AuthenticatorOptions,
    "algorithm must be SHA1, SHA256 or SHA512.",
  ],
  [
    { singleUse: "true" } as unknown as AuthenticatorOptions,
    "singleUse must be true or false.",
  ],
  [
    { namespace: 5 } as unknown as AuthenticatorOptions,
    "namespace must be an absolute URI that ends with a slash.",
  ],
  [{ namespace: "urn:a" }, "namespace must be an absolute URI that ends with a slash."],
  [{ window: -1 }, "window must be a whole number from 0 to 100."],
  [
    { baseUrl: "example.com" },
    "baseUrl must be an http or https URL without user name, query and fragment.",
  ],
  [
    { guard: "mysql://localhost" },
    "guard must be either memory, or a URL of redis, redis+sentinel or redis+cluster, with rediss for TLS.",
  ],
  [
    { guardKey: new Uint8Array(8) },
    "guardKey must be 32 random bytes or more in a Uint8Array.",
  ],
  [
    { guard: "redis://127.0.0.1" },
    "guardKey must be 32 random bytes or more in a Uint8Array, the same for all processes that share a store.",
  ],
  [{ apiKeys: ["#0123456789abcdef"] }, "apiKeys cannot be used: line 1 must be one key."],
  [
    { apiKeys: "0123456789abcdef" } as unknown as AuthenticatorOptions,
    "apiKeys must be an array of strings.",
  ],
  [
    { apiKeys: ["short"] },
    "apiKeys cannot be used: line 1 must be a key of 16 to 256 printable ASCII characters, no spaces.",
  ],
  [{ apiKeys: [] }, "apiKeys cannot be used: it has no keys."],
  [
    { sealKeys: ["canary"] },
    "sealKeys cannot be used: line 1 must be a name, a colon, and a key of 64 hexadecimal digits.",
  ],
  [
    { apiKeys: [`web:${"aB".repeat(32)}`], sealKeys: [`new:${"ab".repeat(32)}`] },
    "sealKeys cannot be used: the key new is one of apiKeys too.",
  ],
  [
    { singleuse: true } as AuthenticatorOptions,
    "There is no option singleuse; did you mean singleUse?",
  ],
];

for (const [options, message] of WRONG) {
  Deno.test(`createAuthenticator() refuses ${Object.entries(options)[0]}: ${message}`, () => {
    assertEquals(assertThrows(() => createAuthenticator(options), TypeError).message, message);
  });
}

Deno.test("seal() seals a secret, which validatePin() then takes, pair() refuses and seal() gives back", async () => {
  const { seal, validatePin, pair, fetch } = createAuthenticator(
    { sealKeys: SEAL_KEY_LINES, maxFailures: 2, singleUse: true },
    { now },
  );
  const sealed = seal({ secretCode });
  assertEquals((await openByJose(sealed)).text, secretCode);
  // The guard sees what is inside: a code is used up, and failures count, however it is sealed.
  assertEquals(await validatePin({ pin, secretCode: sealed }), true);
  assertEquals(await validatePin({ pin, secretCode: seal({ secretCode }) }), false);
  assertEquals(await validatePin({ pin, secretCode }), false);
  const names = { appName: "Example", appInfo: "jane" };
  assertEquals(
    assertThrows(() => pair({ ...names, secretCode: sealed }), Fault).message,
    "Parameter secretCode is sealed: pair with the secret itself, and seal it then.",
  );
  assertEquals(seal({ secretCode: ` ${sealed}\n` }), sealed);
  const anew = seal({ secretCode: await sealByJose(secretCode, SEAL_KEY_LINES[1]) });
  assertEquals((await openByJose(anew)).text, secretCode);
  const { unopened, parameters } = await assertRejects(
    () => validatePin({ pin, secretCode: `${sealed}A` }),
    Fault,
  );
  assertEquals([unopened, parameters], ["not-of-this-format", ["secretCode"]]);
  const body = new URLSearchParams({ secretCode });
  const reply = await fetch(new Request("http://localhost/seal", { method: "POST", body }));
  assertEquals((await openByJose(await reply.text())).text, secretCode);
});

Deno.test("without sealKeys, a sealed secret is refused", async () => {
  const { seal, validatePin, pair, fetch } = createAuthenticator({}, { now });
  assertEquals(
    assertThrows(() => seal({ secretCode }), TypeError).message,
    "The service has no keys of sealed secrets.",
  );
  const sealed = await sealByJose(secretCode);
  const { unopened } = await assertRejects(() => validatePin({ pin, secretCode: sealed }), Fault);
  assertEquals(unopened, "no-keys");
  assertThrows(() => pair({ appName: "a", appInfo: "b", secretCode: sealed }), Fault, "is sealed");
  const request = new Request("http://localhost/seal", { method: "POST", body: "" });
  assertEquals((await fetch(request)).status, 404);
});

Deno.test("validatePin() takes an empty source for none, whose wrong pins have the whole budget", async () => {
  const resultsOf = async (source: string): Promise<readonly boolean[]> => {
    const { validatePin } = createAuthenticator({ maxFailures: 4 }, { now });
    const results: boolean[] = [];
    for (const given of ["000000", "000001", "000002", pin]) {
      results.push(await validatePin({ pin: given, secretCode, source }));
    }
    return results;
  };
  assertEquals(await resultsOf(""), [false, false, false, true]);
  assertEquals(await resultsOf("192.0.2.1"), [false, false, false, false]);
});

Deno.test("validatePin() and pair() throw faults that differ by their kind", async () => {
  const { validatePin, pair } = createAuthenticator();
  const fault = await assertRejects(() => validatePin({ pin, secretCode: "" }), Fault);
  assertEquals([fault.code, fault.message], [
    "invalid",
    "Parameter secretCode must not be empty.",
  ]);
  const number = { pin: 123456, secretCode } as unknown as Parameters<typeof validatePin>[0];
  const typeError = await assertRejects(() => validatePin(number), TypeError);
  assertEquals(typeError.message, "pin must be a string.");
  const source = { pin, secretCode, source: 5 } as unknown as Parameters<typeof validatePin>[0];
  assertEquals(
    (await assertRejects(() => validatePin(source), TypeError)).message,
    "source must be a string.",
  );
  const image = createAuthenticator({ html: "image" }, { log: { error: () => {} } });
  assertEquals(
    assertThrows(
      () => image.pair({ appName: "Example", appInfo: "jane", secretCode }),
      TypeError,
    ).message,
    "pair needs baseUrl where html is image.",
  );
  const missing = { appName: "Example", secretCode } as Parameters<typeof pair>[0];
  assertEquals(assertThrows(() => pair(missing), Fault).message, "Missing parameter: appInfo.");
});

Deno.test("createAuthenticator() waits for its store once, and throws why it cannot be used", async () => {
  const said: string[] = [];
  const { validatePin, close } = createAuthenticator(
    { guard: `redis://127.0.0.1:${freePort()}`, guardKey: randomBytes(32) },
    { now, log: { error: (message) => void said.push(message) } },
  );
  assertEquals(await validatePin({ pin, secretCode }), false);
  assertEquals(said.length, 1);
  assert(/^the store of the guard, redis:.*: pins are refused$/.test(said[0]!), said[0]);
  await close();
});

Deno.test("the library without a page loads no text of the page", () => {
  const seen = new Set<string>();
  const visit = (url: URL): void => {
    if (seen.has(url.href) || !url.pathname.endsWith(".ts")) return;
    seen.add(url.href);
    const imports = /^(?:import|export) (?!type )[^;]*?from "(\.[^"]+)"/gm;
    for (const [, path] of Deno.readTextFileSync(url).matchAll(imports)) visit(new URL(path!, url));
  };
  visit(new URL("../../lib/mod.ts", import.meta.url));
  const names = [...seen].map((href) => href.slice(href.lastIndexOf("/lib/") + "/lib/".length));
  assertEquals(names.filter((name) => /^page\/(?!shared\/)/.test(name)), []);
  assert(names.includes("http/documents.ts") && names.includes("guard/redis/link.ts"));
});

Deno.test("createAuthenticator() accepts no pin where WebCrypto and the library compute other codes", async () => {
  const { sign } = crypto.subtle;
  crypto.subtle.sign = () => Promise.resolve(new ArrayBuffer(20));
  const causes: unknown[] = [];
  const log = { error: (_: string, cause?: unknown) => void causes.push(cause) };
  // Nothing calls the first.
  createAuthenticator({}, { now, log });
  const { fetch, validatePin } = createAuthenticator({}, { now, log });
  try {
    await assertRejects(() => validatePin({ pin, secretCode }), Error, "are different");
  } finally {
    crypto.subtle.sign = sign;
  }
  // It stays so: this is checked once, at the start.
  await assertRejects(() => validatePin({ pin, secretCode }), Error, "are different");
  const reply = await fetch(
    new Request(
      `http://localhost/Validate.aspx?Pin=${pin}&SecretCode=${encodeURIComponent(secretCode)}`,
    ),
  );
  assertEquals([reply.status, await reply.text(), causes.map(String)], [
    200,
    "False",
    ["FinderError: the codes of SHA1 that Authenticator and WebCrypto compute here are different"],
  ]);
});
