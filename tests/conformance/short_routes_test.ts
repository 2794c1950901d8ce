import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { decode, readPng } from "../qr/pictures.ts";
import { ask, pinOf, soap } from "./ask.ts";
import { handlerWith } from "../support/handler.ts";

// protocol.md §6; asmx.md §9 and §10.

const SECRET = "12345678BXYT";
const NAMES = "AppName=My+App&AppInfo=john%40example.com";
const URI =
  "otpauth://totp/My%20App:john%40example.com?secret=GEZDGNBVGY3TQQSYLFKA&issuer=My%20App";
const IMAGE_HTML = "<a title='Manually pair with GEZDGNBVGY3TQQSYLFKA' href='http://otp.example'>" +
  `<img src='http://otp.example/qr.aspx?size=300x300&data=${
    encodeURIComponent(URI)
  }' border=0></a>`;

const BARE = "text/html; charset=utf-8";

Deno.test("pair.aspx gives the original's fragment to the byte, to GET and POST", async () => {
  for (const method of ["GET", "POST"]) {
    const target = `/pair.aspx?${NAMES}&SecretCode=${SECRET}`;
    const reply = await ask({ method, target, ...(method === "POST" && { body: "Pin=1" }) });
    assertEquals([reply.status, reply.type, reply.text], [200, BARE, IMAGE_HTML]);
    assertEquals(reply.headers.get("x-frame-options"), undefined);
    assertEquals(reply.headers.get("content-security-policy"), undefined);
  }
});

Deno.test("the short routes compare file and parameter names without case", async () => {
  const pair = await ask({ target: `/PAIR.ASPX?appname=My+App&APPINFO=x&secretcode=${SECRET}` });
  assert(pair.text.startsWith("<a title='Manually pair with GEZDGNBVGY3TQQSYLFKA'"), pair.text);
  const target = `/validate.aspx?PIN=${pinOf(SECRET)}&secretcode=${SECRET}`;
  assertEquals((await ask({ target })).text, "True");
});

Deno.test("pair.aspx names the first parameter that is absent or empty, with 200", async () => {
  const rows: readonly (readonly [string, string])[] = [
    ["", "AppName"],
    ["?AppName=", "AppName"],
    ["?AppName=a&SecretCode=x", "AppInfo"],
    ["?AppName=a&AppInfo=b", "SecretCode"],
  ];
  for (const [query, name] of rows) {
    const reply = await ask({ target: `/pair.aspx${query}` });
    assertEquals([reply.status, reply.type], [200, BARE]);
    assertEquals(reply.text, `Pass '${name}' in QueryString`);
  }
});

Deno.test("Validate.aspx says True or False and no more, to GET and POST", async () => {
  for (const [pin, answer] of [[pinOf(SECRET), "True"], [pinOf(SECRET, 2), "False"]]) {
    for (const method of ["GET", "POST"]) {
      const target = `/Validate.aspx?Pin=${pin}&SecretCode=${SECRET}`;
      const reply = await ask({ method, target, ...(method === "POST" && { body: "Pin=1" }) });
      assertEquals([reply.status, reply.type, reply.text], [200, BARE, answer]);
    }
  }
});

Deno.test("Validate.aspx names an absent parameter with 200, and an empty pin is False", async () => {
  const text = async (query: string): Promise<string> => {
    const reply = await ask({ target: `/Validate.aspx${query}` });
    assertEquals(reply.status, 200);
    return reply.text;
  };
  assertEquals(await text("?SecretCode=x"), "Pass 'Pin' in QueryString");
  assertEquals(await text("?Pin=1"), "Pass 'SecretCode' in QueryString");
  assertEquals(await text("?Pin=&SecretCode=x"), "False");
  assertEquals(await text("?Pin&SecretCode=x"), "False");
  assertEquals(await text("?Pin=1&SecretCode="), "False");
  assertEquals(await text("?Pin=1&SecretCode"), "False");
});

Deno.test("Validate.aspx answers 200 False to whatever is wrong with its parameters", async () => {
  const rows = [
    `?Pin=${pinOf(SECRET)}&Pin=1&SecretCode=${SECRET}`,
    `?SecretCode&Pin=${pinOf(SECRET)}&SecretCode=${SECRET}`,
    `?Pin=${"1".repeat(65)}&SecretCode=${SECRET}`,
    `?Pin=1&SecretCode=${"x".repeat(1025)}`,
    "?Pin=1&SecretCode=%FF",
    "?Pin=1&SecretCode=%00",
    `?Pin=1&SecretCode=x&${"x".repeat(8192)}`,
  ];
  for (const query of rows) {
    const reply = await ask({ target: `/Validate.aspx${query}` });
    assertEquals([reply.status, reply.type, reply.text], [200, BARE, "False"], query.slice(0, 40));
  }
});

Deno.test("Validate.aspx answers 200 False when the service fails inside", async () => {
  let failures = 0;
  const handler = handlerWith({
    now: () => {
      throw new Error("the clock is broken");
    },
    log: { error: () => void failures++ },
    isReady: () => false,
  });
  const url = "http://otp.example/Validate.aspx?Pin=123456&SecretCode=x";
  const reply = await handler(new Request(url));
  assertEquals([reply.status, await reply.text(), failures], [200, "False", 1]);
});

Deno.test("qr.aspx draws a PNG of one bit a pixel that a reader reads", async () => {
  const data = encodeURIComponent(URI);
  const rows: readonly (readonly [string, number, number])[] = [
    [`data=${data}`, 300, 300],
    [`size=180x180&data=${data}`, 180, 180],
    [`size=128x200&data=${data}`, 128, 200],
    [`cht=qr&CHS=400x400&chl=${data}`, 400, 400],
    [`?size=300x300&data=${data}`, 300, 300],
  ];
  for (const [query, width, height] of rows) {
    const reply = await ask({ target: `/QR.aspx?${query}` });
    assertEquals([reply.status, reply.type], [200, "image/png"], query);
    const picture = readPng(new Uint8Array(reply.bytes));
    assertEquals([picture.width, picture.height, decode(picture)], [width, height, URI]);
    // W3C PNG §11.2.1: the bit depth follows signature, chunk head, width and height.
    assertEquals(reply.bytes[24], 1);
    assertEquals(reply.headers.get("location"), undefined);
  }
});

Deno.test("qr.aspx draws the same as SVG", async () => {
  const reply = await ask({ target: `/qr.aspx?format=svg&data=${encodeURIComponent(URI)}` });
  assertEquals([reply.status, reply.type], [200, "image/svg+xml"]);
  assert(reply.text.includes('<svg xmlns="http://www.w3.org/2000/svg"'), reply.text.slice(0, 80));
});

Deno.test("qr.aspx refuses what it cannot draw, and repeats nothing of it", async () => {
  const rows: readonly (readonly [string, string])[] = [
    ["", "Missing parameter: data."],
    ["?data=", "Missing parameter: data."],
    ["?data=x&data=y", "Duplicate parameter: data."],
    ["?data=x&chl=y", "Duplicate parameter: data."],
    ["?data=x&format=hush", "Parameter format must be png or svg."],
    ["?data=x&size=20x20", "Parameter size must be WIDTHxHEIGHT, each from 21 to 1000."],
    ["?data=x&size=1001x300", "Parameter size must be WIDTHxHEIGHT, each from 21 to 1000."],
    ["?data=x&size=hush", "Parameter size must be WIDTHxHEIGHT, each from 21 to 1000."],
    [`?data=${"a".repeat(4000)}`, "The text is too long for a QR code."],
  ];
  for (const [query, sentence] of rows) {
    const reply = await ask({ target: `/qr.aspx${query}` });
    assertEquals([reply.status, reply.type], [400, "text/plain; charset=utf-8"], query);
    assertEquals(reply.text, `${sentence}\r\n`);
  }
});

Deno.test("--html image gives the original's fragment in every binding", async () => {
  const args = ["--html", "image"];
  const values = { appName: "My App", appInfo: "john@example.com", secretCode: SECRET };
  const query = new URLSearchParams(values).toString();
  const children = Object.entries(values).map(([name, value]) => `<${name}>${value}</${name}>`);
  const envelope = (namespace: string): string =>
    `<s:Envelope xmlns:s="${namespace}"><s:Body><Pair xmlns="http://authenticatorapi.com/">` +
    `${children.join("")}</Pair></s:Body></s:Envelope>`;
  const form = { "Content-Type": "application/x-www-form-urlencoded" };
  const json = { "Content-Type": "application/json" };
  const escaped = IMAGE_HTML.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(
    ">",
    "&gt;",
  );
  for (
    const request of [
      { target: `/api.asmx/Pair?${query}` },
      { target: "/api.asmx/Pair", headers: form, body: query },
      soap("1.1", envelope("http://schemas.xmlsoap.org/soap/envelope/")),
      soap("1.2", envelope("http://www.w3.org/2003/05/soap-envelope")),
    ]
  ) {
    const { status, text } = await ask({ args, ...request });
    assertEquals(status, 200);
    assert(text.includes(`<Html>${escaped}</Html>`), text);
  }
  const reply = await ask({
    args,
    target: "/api.asmx/Pair",
    headers: json,
    body: JSON.stringify(values),
  });
  assertEquals(JSON.parse(reply.text).d.Html, IMAGE_HTML);
});

Deno.test("--html image and pair.aspx point to --base-url when there is one", async () => {
  const args = ["--base-url", "https://otp.example.org/two-factor/"];
  const { text } = await ask({ args, target: `/pair.aspx?${NAMES}&SecretCode=${SECRET}` });
  assert(
    text.includes(
      " href='https://otp.example.org/two-factor'><img src='https://otp.example" +
        ".org/two-factor/qr.aspx?size=300x300&data=otpauth%3A%2F%2Ftotp%2F",
    ),
    text,
  );
});
