/**
 * Our parts beside the libraries that others would take for them, in turns: the QR code of a Key URI,
 * an Envelope read, a pin checked. Each gives the right answer once before it is measured.
 *
 * In November 2026, 32 wrong pins at once took a seventh of the time of otpauth and a fifteenth of
 * that of otplib. With WebCrypto alone, a wrong pin took 3.7 times as long on Deno, and 2.7 times with
 * Bun's executable.
 *
 *     deno run -A bench/libraries.ts [ROUNDS]
 *
 * @module
 */

/// <reference types="../tests/support/peers.d.ts" />

import process from "node:process";
import { XMLParser } from "fast-xml-parser";
import { Secret, TOTP } from "otpauth";
import { verify } from "otplib";
import encodeQR from "qr";
import qrcode from "qrcode";
import { SaxesParser } from "saxes";
import { FINDERS } from "../lib/otp/finder.ts";
import { encodeQr } from "../lib/qr/encode.ts";
import { parseXml } from "../lib/xml/tree.ts";
import { referenceHotp } from "../tests/support/reference_totp.ts";
import { numbersFrom } from "./command_line.ts";
import { median } from "./load.ts";
import { row } from "./peers.ts";

const SECRET = "12345678901234567890";
const STEP = 60_000_000;
const URI = "otpauth://totp/Contoso:anna%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" +
  "&issuer=Contoso";
/** A call as SOAP clients write it. */
export const ENVELOPE = '<?xml version="1.0" encoding="utf-8"?>' +
  '<soap:Envelope xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ' +
  'xmlns:xsd="http://www.w3.org/2001/XMLSchema" ' +
  'xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>' +
  '<Pair xmlns="http://authenticatorapi.com/"><appName>Example &amp; Sons</appName>' +
  "<appInfo>alice@example.org</appInfo><secretCode>12345678901234567890</secretCode></Pair>" +
  "</soap:Body></soap:Envelope>";

/** How long one of them runs until it is the turn of the next, in milliseconds. */
const TURN_MS = 10;
/** Checks at the same time, as in a server. */
const AT_ONCE = 32;
/** Turns of each in a round. */
const TURNS = 20;

/** Does the work once, and says what came of it. */
type Work = () => string | number | Promise<string | number>;

/** A kind of work, by who does it; ours is the first. What comes of it is the same for all. */
type Contest = Readonly<Record<string, Work>>;

const wrongPin = String((Number(referenceHotp(SECRET, STEP)) + 1) % 1e6).padStart(6, "0");
const secretBytes = new TextEncoder().encode(SECRET);
const totp = new TOTP({ secret: Secret.fromUTF8(SECRET) });

function textBySaxes(): string {
  const parser = new SaxesParser({ xmlns: true });
  let appName = "";
  parser.on("text", (text) => appName ||= text);
  parser.write(ENVELOPE).close();
  return appName;
}

function textByTree(): string {
  let node = parseXml(ENVELOPE).root;
  for (;;) {
    const child = node.children[0]!;
    if ("text" in child) return child.text;
    node = child;
  }
}

// The second argument has it check that the text is well-formed, as the others do.
const textByFastXmlParser = (): string =>
  new XMLParser().parse(ENVELOPE, true)["soap:Envelope"]["soap:Body"].Pair.appName;

// WebCrypto would confirm a right pin; a wrong one is found to be wrong without it.
function isRightByOurs(): boolean {
  const check = { code: wrongPin, step: STEP, window: 1, digits: 6 };
  return FINDERS.SHA1(secretBytes, check) !== undefined;
}

function isRightByOtpAuth(): boolean {
  return totp.validate({ token: wrongPin, timestamp: STEP * 30_000, window: 1 }) !== null;
}

async function isRightByOtplib(): Promise<boolean> {
  const options = { secret: secretBytes, token: wrongPin, epoch: STEP * 30, epochTolerance: 30 };
  return (await verify(options)).valid;
}

const CONTESTS: Readonly<Record<string, Contest>> = {
  [`QR code of a Key URI of ${URI.length} characters`]: {
    "ours": () => encodeQr(URI, "M")!.size,
    "qr": () => encodeQR(URI, "raw", { ecc: "medium", border: 1 }).length - 2,
    "qrcode": () => qrcode.create(URI, { errorCorrectionLevel: "M" }).modules.size,
  },
  [`Envelope of ${ENVELOPE.length} characters`]: {
    "ours": textByTree,
    "fast-xml-parser": textByFastXmlParser,
    "saxes": textBySaxes,
  },
  [`${AT_ONCE} wrong pins at once, three time steps each`]: {
    "ours": () => Array.from({ length: AT_ONCE }, isRightByOurs).filter(Boolean).length,
    "otpauth": () => Array.from({ length: AT_ONCE }, isRightByOtpAuth).filter(Boolean).length,
    "otplib": async () =>
      (await Promise.all(Array.from({ length: AT_ONCE }, isRightByOtplib))).filter(Boolean).length,
  },
};

/** Microseconds of processor time that one piece of work takes with all threads, the mean of a turn. */
async function turn(work: Work): Promise<number> {
  const endMs = performance.now() + TURN_MS;
  const before = process.cpuUsage();
  let done = 0;
  do {
    await work();
    done++;
  } while (performance.now() < endMs);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / done;
}

/** Writes a table: the medians of so many rounds, and how they compare to ours. */
export async function printLibraries(rounds: number): Promise<void> {
  row(["CPU µs, on Deno", "ours", "others"], true);
  for (const [name, contest] of Object.entries(CONTESTS)) {
    const expected = await Object.values(contest)[0]!();
    const figures = new Map<string, number[]>();
    for (const [who, work] of Object.entries(contest)) {
      const outcome = await work();
      if (outcome !== expected) throw new Error(`${who} has ${outcome} for a ${name}`);
    }
    for (let round = 0; round < (rounds + 1) * TURNS; round++) {
      for (const [who, work] of Object.entries(contest)) {
        const took = await turn(work);
        // The first round warms up, until the engine has compiled what is hot.
        if (round >= TURNS) figures.set(who, [...figures.get(who) ?? [], took]);
      }
    }
    const [[, oursUs] = ["", 0], ...others] = [...figures]
      .map(([who, all]) => [who, median(all)] as const);
    const compared = others.map(([who, us]) =>
      `${who} ${us.toFixed(1)} (× ${(us / oursUs).toFixed(2)})`
    );
    row([name, oursUs.toFixed(1), compared.join(", ")]);
  }
}

if (import.meta.main) {
  const [rounds] = numbersFrom(process.argv.slice(2), [["rounds", 5]]);
  await printLibraries(rounds);
}
