/**
 * Sealed secrets that a narrow column cut or something on the way changed: no piece is a secret.
 *
 * @module
 */

import { assertEquals } from "@std/assert/equals";
import { handlerWith } from "../../support/handler.ts";
import { referenceHotp } from "../../support/reference_totp.ts";
import { SEAL_KEY_LINES, sealByJose } from "../../support/seal_keys.ts";

const SECRET = "correct horse battery";
const SEALED = await sealByJose(SECRET);
const SHORTEST = 16;

const WAYS: readonly (readonly [name: string, mangle: (text: string) => string])[] = [
  ["as it is", (text) => text],
  ["in upper case", (text) => text.toUpperCase()],
  ["in lower case", (text) => text.toLowerCase()],
  ["in the other case", (text) => text.replace(/[a-z]/gi, otherCase)],
  ["padded as a CHAR column", (text) => text.padEnd(255)],
  ["between line ends and tabs", (text) => `\r\n\t${text}\t\r\n`],
  ["in quotes", (text) => `"${text}"`],
  ["with dots escaped", (text) => text.replaceAll(".", "\\.").replaceAll("-", "\\-")],
  ["behind a name", (text) => `sealed:${text}`],
  ["twice", (text) => text + text],
  ["behind a byte order mark", (text) => `\uFEFF${text}`],
];

function otherCase(letter: string): string {
  return letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase();
}

function withoutBlanks(text: string): string {
  return text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
}

const SERVERS: readonly (readonly [name: string, keys: readonly string[] | undefined])[] = [
  ["with the key", SEAL_KEY_LINES],
  ["with another key of that name", [`new:${"17".repeat(32)}`]],
  ["with a key of another name", [SEAL_KEY_LINES[1]]],
  ["without keys", undefined],
];

const REFUSAL = "Parameter secretCode is sealed, and this server cannot open it.\r\n";

for (const [server, sealKeys] of SERVERS) {
  const handler = handlerWith({ sealKeys, now: () => 0 });
  const post = async (path: string, form: Readonly<Record<string, string>>): Promise<string> => {
    const init = { method: "POST", body: new URLSearchParams(form) };
    const reply = await handler(new Request(`http://localhost${path}`, init));
    return `${reply.status} ${await reply.text()}`;
  };
  const check = (pin: string, secretCode: string): Promise<string> =>
    post("/api.asmx/ValidatePin", { pin, secretCode });

  Deno.test(`no piece of a sealed secret is a secret on a server ${server}`, async () => {
    for (const [way, mangle] of WAYS) {
      // A server without the key refuses them for other reasons, few of which depend on the length.
      const step = sealKeys === SEAL_KEY_LINES ? 1 : 7;
      for (let length = SEALED.length; length >= SHORTEST; length -= step) {
        const piece = mangle(SEALED.slice(0, length));
        if (sealKeys === SEAL_KEY_LINES && withoutBlanks(piece) === SEALED) continue;
        const place = `${way}, ${length} characters`;
        // Neither the code of the piece, which anyone computes who has it, nor that of the secret.
        for (const pin of [referenceHotp(piece, 0), referenceHotp(SECRET, 0)]) {
          assertEquals(await check(pin, piece), `400 ${REFUSAL}`, place);
        }
        const sealed = await post("/seal", { secretCode: piece });
        const expected = sealKeys === undefined ? "404 Not found.\r\n" : `400 ${REFUSAL}`;
        assertEquals(sealed, expected, place);
      }
    }
  });
}

Deno.test("a whole sealed secret opens on a server with the key, with blanks and line ends around it", async () => {
  const handler = handlerWith({ sealKeys: SEAL_KEY_LINES, now: () => 0 });
  for (const text of [SEALED, SEALED.padEnd(2100), `\r\n\t ${SEALED}\t\r\n`]) {
    const pin = referenceHotp(SECRET, 0);
    const query = new URLSearchParams({ pin, secretCode: text });
    const reply = await handler(new Request(`http://localhost/api.asmx/ValidatePin?${query}`));
    assertEquals(/true|false/.exec(await reply.text())?.[0], "true");
    const init = { method: "POST", body: new URLSearchParams({ secretCode: text }) };
    const kept = await handler(new Request("http://localhost/seal", init));
    assertEquals(await kept.text(), SEALED);
  }
});
