// The least that answers as the service does, on Deno or on Bun: the runtime's own server, the same
// search and confirmation of a code, nothing that could be left out. It checks no argument, so it is a
// floor and no service.
//
//     deno run -A bench/servers/bare.ts PORT

import process from "node:process";
import { FINDERS, isCodeOf } from "../../lib/otp/finder.ts";
import { DEFAULT_TOTP } from "../../lib/otp/totp.ts";
import { pair } from "../../lib/operations/pair.ts";

const port = Number(process.argv[2]);
const encoder = new TextEncoder();
const XML = { headers: { "content-type": "text/xml; charset=utf-8" } };
const JSON_TYPE = { headers: { "content-type": "application/json; charset=utf-8" } };
const TEXT = { headers: { "content-type": "text/plain; charset=utf-8" } };

async function isRight(pin: string, secret: string): Promise<boolean> {
  const key = encoder.encode(secret);
  const step = Math.floor(Date.now() / 30_000);
  const distance = FINDERS.SHA1(key, { code: pin, step, window: 1, digits: 6 });
  return distance !== undefined && await isCodeOf(key, step + distance, pin, DEFAULT_TOTP);
}

function between(text: string, before: string, after: string): string {
  const start = text.indexOf(before) + before.length;
  const end = text.indexOf(after, start);
  return text.slice(start, end < 0 ? undefined : end);
}

const encoded = (text: string, name: string): string =>
  decodeURIComponent(between(`${text}&`, `${name}=`, "&").replaceAll("+", " "));
const tagged = (text: string, name: string): string => between(text, `<${name}>`, `</${name}>`);

function pairing(appName: string, appInfo: string, secretCode: string): string {
  const otp = { ...DEFAULT_TOTP, window: 1 };
  const context = {
    ...otp,
    secretEncoding: "text",
    html: "svg",
    now: Date.now,
    base: () => "",
  } as const;
  const { ManualSetupCode, Html } = pair({ appName, appInfo, secretCode }, context);
  const html = Html.replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `<PairingInfo><ManualSetupCode>${ManualSetupCode}</ManualSetupCode><Html>${html}</Html></PairingInfo>`;
}

// As long as the document that it is compared with; ASCII, as that is.
const constants = new Map<string, string>();

function constant(length: string): string {
  let text = constants.get(length);
  if (text === undefined) constants.set(length, text = "x".repeat(Number(length)));
  return text;
}

async function answer(request: Request): Promise<Response> {
  const { url } = request;
  const path = url.slice(url.indexOf("/", 8));
  if (path === "/healthz") return new Response("ok", TEXT);
  if (path.startsWith("/constant/")) return new Response(constant(path.slice(10)), XML);
  if (path === "/nothing") return new Response(null, { status: 304 });
  if (path.startsWith("/api.asmx/Pair?")) {
    const names = ["appName", "appInfo", "secretCode"].map((name) => encoded(path, name));
    return new Response(pairing(names[0]!, names[1]!, names[2]!), XML);
  }
  if (path.startsWith("/api.asmx/ValidatePin?")) {
    return new Response(
      `<boolean>${await isRight(encoded(path, "pin"), encoded(path, "secretCode"))}</boolean>`,
      XML,
    );
  }
  const text = await request.text();
  if (text.startsWith("{")) {
    const { pin, secretCode } = JSON.parse(text);
    return new Response(`{"d":${await isRight(pin, secretCode)}}`, JSON_TYPE);
  }
  if (!text.startsWith("<")) {
    return new Response(
      `<boolean>${await isRight(encoded(text, "pin"), encoded(text, "secretCode"))}</boolean>`,
      XML,
    );
  }
  const [first, second, third] = ["appName", "appInfo", "secretCode"].map((name) =>
    tagged(text, name)
  );
  const content = text.includes("<Pair")
    ? pairing(first!, second!, third!)
    : `<ValidatePinResult>${await isRight(tagged(text, "pin"), third!)}</ValidatePinResult>`;
  return new Response(`<Envelope><Body>${content}</Body></Envelope>`, XML);
}

if ("Bun" in globalThis) {
  Bun.serve({
    hostname: "127.0.0.1",
    port,
    fetch: answer,
    error: () => new Response(null, { status: 500 }),
    development: false,
    maxRequestBodySize: 65_536,
    idleTimeout: 75,
  });
} else {
  Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {} }, answer);
}
