/**
 * Secrets from other TOTP libraries, by the real ones: of each length that a library reads rightly, its
 * code is right here and ours is right there. docs/switching.md has the same lengths.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import notp from "notp";
import { Secret, TOTP } from "otpauth";
import { authenticator, totp } from "otplib-12";
import { fileURLToPath } from "node:url";
import speakeasy from "speakeasy";
import { TOTP as Generator } from "totp-generator";
import { secretKey } from "../../../lib/otp/secret.ts";
import { codeOf, hotpMac, importOtpKey, timeStep } from "../../../lib/otp/totp.ts";
import { needModule, runClient } from "../../support/client_program.ts";
import { builtProject, dotnet, LACKS_DOTNET } from "../../support/dotnet.ts";
import { read } from "../../support/pages.ts";
import { PATIENT, serverForTests } from "../../support/test_server.ts";

const texts = serverForTests(...PATIENT, "--max-failures", "0");
const base32 = serverForTests(...PATIENT, "--max-failures", "0", "--secret-encoding", "base32");

type Encoding = "text" | "base32";

/** A secret, and a code of ours for now. */
type Row = readonly [secret: string, code: string];

/** Code of a library for now, and whether it accepts ours; undefined for a secret that it refuses. */
type Answer = readonly [code: string, accepted: boolean] | undefined;

interface Library {
  /** Name in docs/switching.md. */
  readonly name: string;
  readonly encoding: Encoding;
  /** Whether it reads any secret of so many characters rightly. */
  readonly reads: (length: number) => boolean;
  /** What docs/switching.md says of that. */
  readonly lengths: string;
  readonly answer: (rows: readonly Row[]) => readonly Answer[] | Promise<readonly Answer[]>;
  /** What takes longer than a code lives. */
  readonly prepare?: () => Promise<unknown>;
  readonly isLeftOut?: boolean;
}

/** A library in this process. */
function each(answer: (...row: Row) => Answer | Promise<Answer>): Library["answer"] {
  return (rows) => Promise.all(rows.map((row) => answer(...row)));
}

/** Steps on each side that a library takes of ours: its program may start slowly. */
const WINDOW = 4;

const any = { reads: () => true, lengths: "any" };

function builtOtpNet(): Promise<string> {
  return builtProject("OtpNet", fileURLToPath(new URL("otp_net/", import.meta.url)));
}

const LIBRARIES: readonly Library[] = [
  {
    name: "speakeasy, `encoding: 'base32'`",
    encoding: "base32",
    reads: (length) => length % 8 === 0,
    lengths: "multiples of 8, and those it generated",
    answer: each((secret, token) => {
      const options = { secret, encoding: "base32" };
      return [
        speakeasy.totp(options),
        speakeasy.totp.verify({ ...options, token, window: WINDOW }),
      ];
    }),
  },
  {
    name: "speakeasy without `encoding`",
    encoding: "text",
    ...any,
    answer: each((secret, token) => [
      speakeasy.totp({ secret }),
      speakeasy.totp.verify({ secret, token, window: WINDOW }),
    ]),
  },
  {
    name: "otplib 12, `authenticator`",
    encoding: "base32",
    reads: (length) => length >= 16,
    lengths: "16 and more",
    answer: each((secret, token) => {
      const library = authenticator.clone({ window: WINDOW });
      return [library.generate(secret), library.check(token, secret)];
    }),
  },
  {
    name: "otplib 12, `totp`",
    encoding: "text",
    reads: (length) => length >= 19,
    lengths: "19 and more",
    answer: each((secret, token) => {
      const library = totp.clone({ window: WINDOW });
      return [library.generate(secret), library.check(token, secret)];
    }),
  },
  {
    name: "otpauth",
    encoding: "base32",
    ...any,
    answer: each((secret, token) => {
      const library = new TOTP({ secret: Secret.fromBase32(secret) });
      return [library.generate(), library.validate({ token, window: WINDOW }) !== null];
    }),
  },
  {
    name: "node-2fa",
    encoding: "base32",
    ...any,
    answer: async (rows) => {
      await needModule("node-2fa");
      const input = JSON.stringify(rows);
      return await runClient("node", "totp_node_2fa.cjs", [`${WINDOW}`], input) as Answer[];
    },
  },
  {
    name: "notp",
    encoding: "text",
    ...any,
    answer: each((secret, token) => [
      notp.totp.gen(secret),
      notp.totp.verify(token, secret) !== null,
    ]),
  },
  {
    name: "totp-generator",
    encoding: "base32",
    ...any,
    // It checks none: its own of the time step of ours.
    answer: each(async (secret, token) => {
      const times = Array.from({ length: WINDOW }, (_, i) => ({
        timestamp: Date.now() - i * 30_000,
      }));
      const codes = await Promise.all(times.map((time) => Generator.generate(secret, time)));
      return [codes[0]!.otp, codes.some(({ otp }) => otp === token)];
    }),
  },
  {
    name: "PyOTP",
    encoding: "base32",
    reads: (length) => ![1, 3, 6].includes(length % 8),
    lengths: "not 1, 3 or 6 above a multiple of 8",
    answer: async (rows) => {
      const input = JSON.stringify(rows);
      const answers = await runClient("/usr/bin/python3", "totp_pyotp.py", [`${WINDOW}`], input);
      return (answers as (Answer | null)[]).map((answer) => answer ?? undefined);
    },
  },
  {
    name: "Otp.NET, `Base32Encoding`",
    encoding: "base32",
    ...any,
    isLeftOut: LACKS_DOTNET,
    prepare: builtOtpNet,
    answer: async (rows) => {
      const words = [await builtOtpNet(), `${WINDOW}`];
      return JSON.parse((await dotnet(words, { input: JSON.stringify(rows) })).stdout);
    },
  },
];

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** A secret of so many letters; no bit of its last one is zero, which a library must not notice. */
function secretOf(length: number, start = 0): string {
  const letters = Array.from(
    { length: length - 1 },
    (_, i) => LETTERS[(start + i * i + 7 * length) % 32],
  );
  return `${letters.join("")}7`;
}

async function ourCode(secret: string, encoding: Encoding): Promise<string> {
  const mac = await importOtpKey(secretKey(secret, encoding)!, "SHA1");
  return codeOf(await hotpMac(mac, timeStep(Date.now(), 30)), 6);
}

async function rowsOf(secrets: readonly string[], encoding: Encoding): Promise<readonly Row[]> {
  return await Promise.all(
    secrets.map(async (secret) => [secret, await ourCode(secret, encoding)] as const),
  );
}

async function isRightHere(code: string, secret: string, encoding: Encoding): Promise<boolean> {
  const { url } = encoding === "text" ? texts : base32;
  const body = new URLSearchParams({ pin: code, secretCode: secret });
  const reply = await fetch(`${url}/api.asmx/ValidatePin`, { method: "POST", body });
  return />true</.test(await reply.text());
}

// From one byte to beyond the block of HMAC-SHA-1 (104 letters).
const LENGTHS = Array.from({ length: 109 }, (_, i) => i + 2);

for (const library of LIBRARIES) {
  const { name, encoding, reads, answer, prepare, isLeftOut: ignore = false } = library;
  const answersTo = async (secrets: readonly string[]): Promise<readonly Answer[]> => {
    await prepare?.();
    return await answer(await rowsOf(secrets, encoding));
  };
  Deno.test({
    name: `codes of ${name} are right here, and ours there, at the lengths that it reads`,
    ignore,
    fn: async () => {
      const secrets = LENGTHS.filter(reads).map((length) => secretOf(length));
      const answers = await answersTo(secrets);
      for (const [i, secret] of secrets.entries()) {
        const [code, accepted] = answers[i] ?? [];
        assertEquals(accepted, true, `${secret.length}`);
        assert(await isRightHere(code!, secret, encoding), `${secret.length}`);
      }
    },
  });

  const others = LENGTHS.filter((length) => !reads(length));
  if (others.length === 0) continue;
  Deno.test(`${name} makes another key, or none, of secrets of other lengths`, async () => {
    // Two of each length: one may have our code by chance.
    const [first, second] = await Promise.all(
      [0, 1].map((start) => answersTo(others.map((length) => secretOf(length, start)))),
    );
    const read = others.filter((_, i) => first![i]?.[1] === true && second![i]?.[1] === true);
    assertEquals(read, []);
  });
}

Deno.test("speakeasy's own secrets of each length are right both ways", async () => {
  const secrets: string[] = LENGTHS.slice(0, 40)
    .map((length) => speakeasy.generateSecret({ length }).base32);
  const rows = await rowsOf(secrets, "base32");
  for (const [secret, token] of rows) {
    const options = { secret, encoding: "base32", token, window: WINDOW };
    assert(speakeasy.totp.verify(options), secret);
    assert(await isRightHere(speakeasy.totp(options), secret, "base32"), secret);
  }
});

Deno.test("docs/switching.md has the encoding and the lengths of each library of this file", () => {
  const [, table] = read("docs/switching.md").split(/<!-- \/?libraries -->/);
  const rows = table!.trim().split("\n").slice(2)
    .map((row) => row.split("|").slice(1, -1).map((cell) => cell.trim()));
  const tested = rows.filter(([, , lengths]) => lengths !== "not tested")
    .map(([name, option, lengths]) => [name, option, lengths]);
  assertEquals(
    tested,
    LIBRARIES.map(({ name, encoding, lengths }) => [name, `\`${encoding}\``, lengths]),
  );
});
