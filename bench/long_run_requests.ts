/**
 * The requests of a long run: every binding and route, right and wrong pins, errors, and callers that
 * leave.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { referenceHotp } from "../tests/support/reference_totp.ts";

/** A request and what must become of it. */
export interface Sample {
  /** What kind it is of. */
  readonly name: string;
  /** What is sent. */
  readonly bytes: Uint8Array;
  /** What its reply must be like; undefined for a caller that leaves without one. */
  readonly expected: RegExp | undefined;
}

// Each has less failures than the guard counts until it refuses, whatever the length of the run.
const WRONG_SECRETS = 20_000;
const RIGHT_SECRETS = 200;
const STEP_MS = 30_000;

let number = 0;
let step = 0;
const pins = new Map<string, string>();

function rightPin(secret: string): string {
  const now = Math.floor(Date.now() / STEP_MS);
  if (now !== step) pins.clear();
  step = now;
  let pin = pins.get(secret);
  if (pin === undefined) pins.set(secret, pin = referenceHotp(secret, step));
  return pin;
}

interface Asked {
  readonly pin: string;
  readonly secret: string;
  readonly answer: string;
}

// A pin of five digits is right in no time step.
function wrong(): Asked {
  return { pin: "12345", secret: `unlucky ${number++ % WRONG_SECRETS}`, answer: "false" };
}

// Six digits that are looked at and compared; were they right by chance, it would be said.
function right(): Asked {
  const secret = `lucky ${number++ % RIGHT_SECRETS}`;
  return { pin: rightPin(secret), secret, answer: "true" };
}

function get(target: string): string {
  return `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
}

function post(path: string, type: string, body: string, more = ""): string {
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\n${more}` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const FORM = "application/x-www-form-urlencoded";
const SERVICE = "/api.asmx/ValidatePin";

function form({ pin, secret }: Asked): string {
  return `pin=${pin}&secretCode=${encodeURIComponent(secret)}`;
}

function envelope(namespace: string, { pin, secret }: Asked): string {
  return `<?xml version="1.0" encoding="utf-8"?><s:Envelope xmlns:s="${namespace}"><s:Body>` +
    `<ValidatePin xmlns="http://authenticatorapi.com/"><pin>${pin}</pin>` +
    `<secretCode>${secret}</secretCode></ValidatePin></s:Body></s:Envelope>`;
}

const SOAP11 = "http://schemas.xmlsoap.org/soap/envelope/";
const SOAP12 = "http://www.w3.org/2003/05/soap-envelope";

type Write = (asked: Asked) => string;

const VALIDATE: Readonly<Record<string, Write>> = {
  "HTTP POST": (asked) => post(SERVICE, FORM, form(asked)),
  "HTTP GET": (asked) => get(`${SERVICE}?${form(asked)}`),
  "SOAP 1.1": (asked) =>
    post(
      "/api.asmx",
      "text/xml; charset=utf-8",
      envelope(SOAP11, asked),
      'SOAPAction: "http://authenticatorapi.com/ValidatePin"\r\n',
    ),
  "SOAP 1.2": (asked) =>
    post("/api.asmx", "application/soap+xml; charset=utf-8", envelope(SOAP12, asked)),
  "JSON": ({ pin, secret }) =>
    post(SERVICE, "application/json", JSON.stringify({ pin, secretCode: secret })),
  "Validate.aspx": ({ pin, secret }) =>
    get(`/Validate.aspx?Pin=${pin}&SecretCode=${encodeURIComponent(secret)}`),
};

function validate(name: string, ask: () => Asked): () => Sample {
  const write = VALIDATE[name]!;
  return () => {
    const asked = ask();
    const expected = new RegExp(`^HTTP/1.1 200 [^]*\\b${asked.answer}\\b[^]{0,120}$`, "i");
    return { name: `${name} ${asked.answer}`, bytes: Buffer.from(write(asked)), expected };
  };
}

function fixed(name: string, text: string, expected: RegExp | undefined): () => Sample {
  const bytes = Buffer.from(text);
  return () => ({ name, bytes, expected });
}

const OK = /^HTTP\/1.1 200 /;
const PAIR = "appName=Example%20Corp&appInfo=jane%40example.com&secretCode=correct%20horse";

const VALIDATES = Object.keys(VALIDATE).flatMap((name) => [
  ...Array<() => Sample>(8).fill(validate(name, wrong)),
  ...Array<() => Sample>(4).fill(validate(name, right)),
]);

const OTHERS: readonly (() => Sample)[] = [
  fixed("Pair", get(`/api.asmx/Pair?${PAIR}`), OK),
  fixed("Pair", post("/api.asmx/Pair", FORM, PAIR), OK),
  fixed("pair.aspx", get(`/pair.aspx?${PAIR}`), OK),
  fixed("qr.aspx", get("/qr.aspx?size=100x100&data=correct%20horse"), OK),
  fixed("page", get("/api.asmx"), OK),
  fixed("WSDL", get("/api.asmx?wsdl"), OK),
  fixed("healthz", get("/healthz"), OK),
  fixed("metrics", get("/metrics"), OK),
  fixed("closing", get("/healthz").replace("Host", "Connection: close\r\nHost"), OK),
  fixed("not well-formed", post("/api.asmx", "text/xml", "<a><b></a>"), /^HTTP\/1.1 500 /),
  fixed("no pin", post(SERVICE, FORM, "secretCode=x"), /^HTTP\/1.1 400 /),
  fixed("unknown", get("/nothing"), /^HTTP\/1.1 404 /),
  fixed("PUT", get("/api.asmx").replace("GET", "PUT"), /^HTTP\/1.1 405 /),
  fixed("text/plain", post(SERVICE, "text/plain", "pin=1"), /^HTTP\/1.1 415 /),
  fixed("not UTF-8", post(SERVICE, FORM, "pin=%ff&secretCode=x"), /^HTTP\/1.1 400 /),
  fixed("too long", post(SERVICE, FORM, "a".repeat(70_000)), /^HTTP\/1.1 413 /),
  fixed("leaves in its head", "POST /api.asmx HTTP/1.1\r\nHost: loc", undefined),
  fixed("leaves in its body", post(SERVICE, FORM, "").replace(": 0", ": 99") + "pin", undefined),
  fixed("leaves before the reply", post("/api.asmx/Pair", FORM, PAIR), undefined),
];

/** All kinds, one after the other, so that rare ones come between frequent ones. */
export const KINDS: readonly (() => Sample)[] = spread(VALIDATES, OTHERS);

function spread<T>(many: readonly T[], few: readonly T[]): T[] {
  return many.flatMap((item, i) => {
    const from = Math.floor(i * few.length / many.length);
    return [item, ...few.slice(from, Math.floor((i + 1) * few.length / many.length))];
  });
}
