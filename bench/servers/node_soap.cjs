// deno-lint-ignore-file explicit-function-return-type -- JavaScript has no types to return.

// The service as people would write it with soap of npm, on Node: HMAC of node:crypto, qrcode.
//
// Usage: node node_soap.cjs PORT WSDL-FILE, with `soap` and `qrcode` where Node looks for them

const { createHmac } = require("node:crypto");
const { readFileSync } = require("node:fs");
const http = require("node:http");

const qrcode = require("qrcode");
const soap = require("soap");

const [port, wsdl] = process.argv.slice(2);

function code(secret, step) {
  const message = Buffer.alloc(8);
  message.writeUInt32BE(step, 4);
  const mac = createHmac("sha1", secret).update(message).digest();
  const truncated = mac.readUInt32BE(mac[19] & 15) & 0x7fffffff;
  return String(truncated % 1e6).padStart(6, "0");
}

function isRight({ pin, secretCode }) {
  const step = Math.floor(Date.now() / 30000);
  return [0, -1, 1].some((distance) => code(secretCode, step + distance) === pin);
}

function base32(text) {
  const bits = [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const digits = bits.match(/.{1,5}/g).map((five) => parseInt(five.padEnd(5, "0"), 2));
  return digits.map((digit) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[digit]).join("");
}

async function pairing({ appName, appInfo, secretCode }) {
  const secret = base32(secretCode);
  const issuer = encodeURIComponent(appName);
  const uri = `otpauth://totp/${issuer}:${
    encodeURIComponent(appInfo)
  }?secret=${secret}&issuer=${issuer}`;
  return { ManualSetupCode: secret, Html: await qrcode.toString(uri, { type: "svg" }) };
}

async function answer(request, response) {
  const url = new URL(request.url, "http://localhost");
  const parameters = Object.fromEntries(url.searchParams);
  if (url.pathname === "/healthz") return void response.end("ok");
  response.setHeader("content-type", "text/xml; charset=utf-8");
  if (url.pathname.endsWith("/ValidatePin")) {
    if (request.method === "POST") {
      let body = "";
      for await (const chunk of request) body += chunk;
      Object.assign(parameters, Object.fromEntries(new URLSearchParams(body)));
    }
    return void response.end(`<boolean>${isRight(parameters)}</boolean>`);
  }
  const { ManualSetupCode, Html } = await pairing(parameters);
  const html = Html.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  response.end(
    `<PairingInfo><ManualSetupCode>${ManualSetupCode}</ManualSetupCode><Html>${html}</Html></PairingInfo>`,
  );
}

const operations = {
  ValidatePin: (parameters) => ({ ValidatePinResult: isRight(parameters) }),
  Pair: async (parameters) => ({ PairResult: await pairing(parameters) }),
};
const server = http.createServer(answer);
server.listen(Number(port), "127.0.0.1");
const ports = { AuthenticatorAPISoap: operations, AuthenticatorAPISoap12: operations };
soap.listen(server, "/api.asmx", { AuthenticatorAPI: ports }, readFileSync(wsdl, "utf8"));
