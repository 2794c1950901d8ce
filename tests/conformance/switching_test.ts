import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { flagOf, namesOf } from "../../lib/config/option.ts";
import { OPTIONS } from "../../lib/config/options.ts";
import { parseCommand } from "../../lib/cli/args/parse.ts";
import { type Ask, ask, pinOf, soap, type Told } from "./ask.ts";
import { HERE, requestOf, wordsOf } from "./commands.ts";

// docs/switching.md: each command in it is run in process or says that it is not, and what it states
// of bytes is so.

const PAGE = Deno.readTextFileSync(new URL("../../docs/switching.md", import.meta.url));

interface Fence {
  readonly language: string;
  readonly text: string;
  readonly isRun: boolean;
}

const FENCES: readonly Fence[] = [...PAGE.matchAll(
  /(<!-- not run: [^>]+-->\n\n)?^```(\w+)\n([^]*?)^```$/gm,
)].map(([, mark, language, text]) => ({
  language: language!,
  text: text!.trimEnd(),
  isRun: mark === undefined,
}));

Deno.test("docs/switching.md: every command is run, and gives what stands below it", async () => {
  const commands = FENCES.filter(({ language }) => language === "sh");
  assert(commands.length >= 6);
  assertEquals(commands.filter(({ isRun }) => !isRun).length, 1);
  for (const [index, { language, text, isRun }] of FENCES.entries()) {
    if (language !== "sh" || !isRun) continue;
    if (text.startsWith("npx ")) {
      const command = parseCommand(
        wordsOf(text.slice(text.indexOf(" start ") + 7)),
        () => undefined,
      );
      assertEquals(command.kind, "serve");
      continue;
    }
    const reply = await ask(requestOf(text));
    assertEquals(reply.status, 200, text);
    assertEquals(reply.text.replaceAll("\r\n", "\n"), FENCES[index + 1]!.text, text);
  }
});

Deno.test("docs/switching.md: an address differs in its host alone, and is answered here", async () => {
  const rows = [
    ...PAGE.matchAll(/^\| [^|]+\| `(GET|POST) (http:[^`]+)` +\| `(GET|POST) (http:[^`]+)` +\|$/gm),
  ];
  assertEquals(rows.length, 8);
  for (const [, before, old, method, url] of rows) {
    assertEquals([method, url], [before, old!.replace("authenticatorapi.com", HERE)]);
    const { pathname, search } = new URL(url!);
    const reply = await ask({ method: method!, target: `${pathname}${search}` });
    assert(![404, 405].includes(reply.status), `${method} ${url}: ${reply.status}`);
  }
});

Deno.test("docs/switching.md: every flag that it names is one", () => {
  const flags = new Set(namesOf(OPTIONS).map(flagOf));
  const named = [...PAGE.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([flag]) => flag);
  const ofNpx = "--yes";
  assertEquals([...new Set(named)].filter((flag) => flag !== ofNpx && !flags.has(flag)), []);
  assert(named.length > 5);
});

const SECRET = "12345678BXYT";

function validate(pin: string, args: readonly string[] = [], secretCode = SECRET): Promise<Told> {
  const query = new URLSearchParams({ pin, secretCode });
  return ask({ args, target: `/api.asmx/ValidatePin?${query}` });
}

const TRUE = ">true</boolean>";

Deno.test("docs/switching.md: --window 10 brings the window back", async () => {
  for (const steps of [-10, 10]) {
    assert((await validate(pinOf(SECRET, steps), ["--window", "10"])).text.endsWith(TRUE));
    assert(!(await validate(pinOf(SECRET, steps))).text.endsWith(TRUE));
  }
  assert(!(await validate(pinOf(SECRET, 11), ["--window", "10"])).text.endsWith(TRUE));
});

Deno.test("docs/switching.md: what is better is so", async () => {
  const pin = pinOf(SECRET);
  assert((await validate(`${pin.slice(0, 3)} ${pin.slice(3)}\n`)).text.endsWith(TRUE));
  const unicode = "schlüssel-鍵-🔑";
  assert((await validate(pinOf(unicode), [], unicode)).text.endsWith(TRUE));
});

Deno.test("docs/switching.md: values that are not encoded become what it says", async () => {
  const form = { "Content-Type": "application/x-www-form-urlencoded" };
  const path = "/api.asmx/ValidatePin";
  for (const [sent, read] of [["ab&cd", "ab"], ["ab+cd", "ab cd"], ["ab%41cd", "abAcd"]] as const) {
    const values = `pin=${pinOf(read)}&secretCode=${sent}`;
    assert((await ask({ target: `${path}?${values}` })).text.endsWith(TRUE), sent);
    assert((await ask({ target: path, body: values, headers: form })).text.endsWith(TRUE), sent);
    // What it names encodes as this does.
    const encoded = `pin=${pinOf(sent)}&secretCode=${encodeURIComponent(sent)}`;
    assert((await ask({ target: `${path}?${encoded}` })).text.endsWith(TRUE), sent);
  }
});

Deno.test("docs/switching.md: what is different is so", async () => {
  const status = async (request: Ask): Promise<number> => (await ask(request)).status;
  const json = { "Content-Type": "application/json" };
  assertEquals(await status({ target: "/api.asmx/Pair" }), 400);
  assertEquals(await status({ target: "/api.asmx/Nothing" }), 404);
  assertEquals(await status({ method: "PUT", target: "/api.asmx/Pair" }), 405);
  assertEquals(await status({ target: "/api.asmx/Pair", body: "x", headers: json }), 400);
  assertEquals(await status({ target: "/api.asmx/pair", body: "{}", headers: json }), 404);
  assertEquals(await status({ target: "/api.asmx/js" }), 404);
  assertEquals(await status(soap("1.1", "not XML")), 500);
  for (const empty of ["appName", "appInfo", "secretCode"]) {
    const values = { appName: "a", appInfo: "b", secretCode: "c", [empty]: "" };
    assertEquals(await status({ target: `/api.asmx/Pair?${new URLSearchParams(values)}` }), 400);
  }
  assertEquals(await status({ target: "/api.asmx/ValidatePin?pin=1&pin=1&secretCode=x" }), 400);
  assertEquals(await status({ target: "/api.asmx/ValidatePin?pin=1&secretCode=%E9" }), 400);
  assertEquals((await ask({ target: "/Validate.aspx?Pin=&SecretCode=x" })).text, "False");
  const markup = await ask({
    target: "/api.asmx/ValidatePin?pin=%3Cb%3E&secretCode=%3Cb%3E%26%23",
  });
  assertEquals(markup.status, 200);
  assertEquals(markup.headers.get("cache-control"), "no-store");
  const pairing = "/pair.aspx?AppName=App&AppInfo=my+name&SecretCode=x";
  assert((await ask({ target: pairing })).text.includes("totp%2FApp%3Amy%2520name%3Fsecret"));
});

Deno.test("docs/switching.md: the SOAPAction does not win over the Body, and may be left out", async () => {
  const text = '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>' +
    '<ValidatePin xmlns="http://authenticatorapi.com/"><pin>1</pin><secretCode>x</secretCode>' +
    "</ValidatePin></s:Body></s:Envelope>";
  const action = { SOAPAction: '"http://authenticatorapi.com/Pair"' };
  assertEquals((await ask(soap("1.1", text, action))).status, 500);
  assertEquals((await ask(soap("1.1", text))).status, 200);
});

Deno.test("docs/switching.md: with the old name and --base-url the picture stays at home", async () => {
  const target = "/pair.aspx?AppName=a&AppInfo=b&SecretCode=x";
  const headers = { Host: "authenticatorapi.com" };
  const leaking = await ask({ target, headers });
  assert(leaking.text.includes("src='http://authenticatorapi.com/qr.aspx?"));
  const args = ["--base-url", "http://otp.example.org"];
  const { text } = await ask({ args, target, headers });
  assert(
    text.includes("src='http://otp.example.org/qr.aspx?") && !text.includes("authenticatorapi"),
  );
});
