import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { compare } from "../../../../lib/cli/compare/compare.ts";
import {
  type Question,
  questionsFor,
  windowQuestion,
} from "../../../../lib/cli/compare/questions.ts";
import { CommandError } from "../../../../lib/cli/io/io.ts";
import { configOf } from "../../../support/command.ts";
import {
  type AskedCall,
  type Lie,
  type SentReply,
  startCompared,
} from "../../../support/compared_server.ts";

/** Compares a server that lies, and returns the exit code and the lines. */
async function comparedWith(lie: Lie, apiKeysFile?: string): Promise<readonly [number, string]> {
  await using server = startCompared({ lie });
  const lines: string[] = [];
  const config = { ...configOf([]), apiKeysFile };
  const options = { sendKey: false, ca: undefined };
  const code = await compare(config, server.url, options, (line) => void lines.push(line))
    .catch((error) => {
      if (!(error instanceof CommandError)) throw error;
      lines.push(error.message);
      return 1;
    });
  assert(server.calls.length <= 60);
  return [code, lines.join("\n")];
}

/** Lie about the calls that a question asks. */
interface RowLie {
  /** Whether a call is one of the question. */
  readonly about: (call: AskedCall) => boolean;
  /** The reply in place of the true one. */
  readonly say: (reply: SentReply) => SentReply;
}

const replaced = (from: string | RegExp, to: string): RowLie["say"] => (reply) => ({
  ...reply,
  text: reply.text.replaceAll(from instanceof RegExp ? new RegExp(from, "g") : from, to),
});
const YES = replaced(/false|False/, "true");
const NO = replaced(/true|True/, "false");
const accepted: RowLie["say"] = (reply) => {
  const text = reply.text.replace("false", "true").replace("False", "True");
  return { ...reply, text };
};
const withStatus = (status: number): RowLie["say"] => (reply) => ({ ...reply, status });

const isWsdl = ({ target, headers }: AskedCall): boolean =>
  target.includes("?wsdl") && !headers.has("x-forwarded-host");
const isOf = (form: string, operation: string) => (call: AskedCall): boolean =>
  call.form === form && call.operation === operation;
const isPin = (form: string, pin: (call: AskedCall) => boolean) => (call: AskedCall): boolean =>
  isOf(form, "ValidatePin")(call) && call.args.has("secretcode") && pin(call);
const pinOf = ({ args }: AskedCall): string => args.get("pin") ?? "";
const isSteps = (steps: number) => (call: AskedCall): boolean => call.steps === steps;
const isWrong = (call: AskedCall): boolean =>
  call.steps === undefined && /^\d{6}$/.test(pinOf(call));
const hasNo = (name: string) => ({ args }: AskedCall): boolean => !args.has(name);

// The lie of each question. A new question needs one here.
const LIES: readonly (readonly [name: RegExp, lie: (...groups: readonly string[]) => RowLie])[] = [
  [/^the WSDL's operations$/, () => ({
    about: isWsdl,
    say: replaced('<wsdl:operation name="Pair">', '<wsdl:operation name="Unpair">'),
  })],
  [/^the WSDL's namespace$/, () => ({
    about: isWsdl,
    say: replaced(/ targetNamespace="[^"]*"/, ' targetNamespace="nowhere"'),
  })],
  [/^the WSDL's addresses$/, () => ({
    about: isWsdl,
    say: replaced('soap12:address location="http:', 'soap12:address location="https:'),
  })],
  [/^the WSDL's addresses, with X-Forwarded-Host$/, () => ({
    about: ({ headers }) => headers.has("x-forwarded-host"),
    say: replaced(/location="http:[^"]*"/, 'location="http://other.example/api.asmx"'),
  })],
  [/^the setup key, by (.*)$/, (form) => ({
    about: isOf(form!, "Pair"),
    say: replaced(/[A-Z2-7]{50,}/, "JBSWY3DPEHPK3PXP"),
  })],
  [/^the Key URI$/, () => ({
    about: isOf("HTTP GET", "Pair"),
    say: replaced("issuer=Authenticator", "issuer=Another"),
  })],
  [/^the form of Html$/, () => ({
    about: isOf("HTTP GET", "Pair"),
    say: replaced(/( d='m\d)/, "$1 0"),
  })],
  [/^the addresses in Html$/, () => ({
    about: isOf("short route", "Pair"),
    say: replaced(/src='http:/, "src='https:"),
  })],
  [/^the code of now$/, () => ({ about: isPin("HTTP GET", isSteps(0)), say: NO })],
  [/^the code 1 step (\w+)$/, (way) => ({
    about: isPin("HTTP GET", isSteps(way === "ahead" ? 1 : -1)),
    say: NO,
  })],
  [/^the code (\d+) steps (\w+)$/, (steps, way) => ({
    about: isPin("HTTP GET", isSteps(way === "ahead" ? Number(steps) : -Number(steps))),
    say: YES,
  })],
  [/^a right pin, by (.*)$/, (form) => ({ about: isPin(form!, isSteps(0)), say: NO })],
  [/^a wrong pin, by (.*)$/, (form) => ({ about: isPin(form!, isWrong), say: YES })],
  [/^a right pin with a space$/, () => ({
    about: isPin("HTTP GET", (call) => pinOf(call).includes(" ")),
    say: withStatus(400),
  })],
  [/^an empty pin$/, () => ({ about: isPin("HTTP GET", (call) => pinOf(call) === ""), say: YES })],
  [/^letters for a pin$/, () => ({
    about: isPin("SOAP 1.1", (call) => /[a-z]/.test(pinOf(call))),
    say: YES,
  })],
  [/^a right pin that begins with 0$/, () => ({
    about: isPin("JSON", (call) => call.steps === 0 && pinOf(call).startsWith("0")),
    say: NO,
  })],
  [/^a right pin without its first 0$/, () => ({
    about: isPin("JSON", (call) => pinOf(call).length === 5),
    say: YES,
  })],
  [/^a right pin for a secret outside ASCII$/, () => ({
    about: isPin("HTTP POST", ({ args }) => args.get("secretcode")!.endsWith("é")),
    say: withStatus(500),
  })],
  [/^a right pin twice$/, () => {
    let last = "";
    return {
      about: isPin("HTTP GET", ({ args }) => {
        const isSecond = args.get("secretcode") === last;
        last = args.get("secretcode")!;
        return isSecond;
      }),
      say: withStatus(409),
    };
  }],
  [/^a right pin without an API key$/, () => ({ about: isPin("HTTP GET", isSteps(0)), say: NO })],
  [/^a missing pin, by (.*)$/, (form) => ({
    about: (call) => isOf(form!, "ValidatePin")(call) && hasNo("pin")(call),
    say: withStatus(200),
  })],
  [/^a missing secretCode, by (.*)$/, (form) => ({
    about: (call) => isOf(form!, "ValidatePin")(call) && hasNo("secretcode")(call),
    say: withStatus(200),
  })],
  [/^an empty secretCode$/, () => ({
    about: isPin("HTTP GET", ({ args }) => args.get("secretcode") === ""),
    say: withStatus(200),
  })],
  [/^a missing Pin, by \/Validate.aspx$/, () => ({
    about: (call) => isOf("short route", "ValidatePin")(call) && hasNo("pin")(call),
    say: replaced(/^.*$/, "True"),
  })],
  [/^an empty Pin, by \/Validate.aspx$/, () => ({
    about: isPin("short route", (call) => pinOf(call) === ""),
    say: accepted,
  })],
  [/^the seal of a secret$/, () => ({
    about: ({ target }) => target === "/seal",
    say: (reply) => ({ ...reply, status: 200, text: '{"d":"eyJ..a.b.c"}' }),
  })],
];

function lieAbout({ name }: Question): RowLie | undefined {
  const found = LIES.filter(([pattern]) => pattern.test(name));
  assert(found.length <= 1, name);
  return found[0] && found[0][1](...found[0][0].exec(name)!.slice(1));
}

// With the steps that are always asked about for a window of 1.
const STEPS = [0, 1, 2, 10, 11].flatMap((steps) => steps === 0 ? [0] : [steps, -steps]);
const QUESTIONS = [
  ...Object.values(questionsFor({ trustProxy: false, apiKeysFile: "/nowhere" }, undefined)).flat(),
  ...STEPS.map(windowQuestion),
];

Deno.test("every question has a lie, and every lie a question", () => {
  assertEquals(
    QUESTIONS.filter((each) => lieAbout(each) === undefined).map(({ name }) => name),
    [],
  );
  const unused = LIES.filter(([pattern]) => !QUESTIONS.some(({ name }) => pattern.test(name)));
  assertEquals(unused.map(([pattern]) => String(pattern)), []);
});

for (const question of QUESTIONS) {
  Deno.test(`a server that lies in one point is found and named: ${question.name}`, async () => {
    const { about, say } = lieAbout(question)!;
    let told = 0;
    const [code, report] = await comparedWith((call, reply) => {
      const said = about(call) ? say(reply) : reply;
      if (said.status !== reply.status || said.text !== reply.text) told++;
      return said;
    }, question.name.includes("API key") ? "/nowhere" : undefined);
    assert(told > 0, "The lie was not told");
    assertEquals(code, 1, report);
    const named = report.split("\n").filter((line) => /^(?:Option|Different): /.test(line));
    assert(named.some((line) => line.includes(question.name)), report);
  });
}

// What a server, or a machine before it, can do to any reply.
const SPOILT: readonly (readonly [string, (reply: SentReply) => SentReply])[] = [
  ["HTML in its place", (reply) => ({ ...reply, type: "text/html", text: "<p>Sign in</p>" })],
  ["half of it", (reply) => ({ ...reply, text: reply.text.slice(0, reply.text.length / 2) })],
  ["in upper case", (reply) => ({
    ...reply,
    text: reply.text.replace(/(>|:)true(?=<|})/, "$1TRUE").replace("True", "TRUE"),
  })],
  ["with another status", withStatus(202)],
  ["with another media type", (reply) => ({ ...reply, type: "application/octet-stream" })],
];

const FORMS = ["SOAP 1.1", "SOAP 1.2", "HTTP GET", "HTTP POST", "JSON", "short route"];

for (const [what, spoil] of SPOILT) {
  Deno.test(`a reply that is spoilt is found in every form: ${what}`, async () => {
    const [code, report] = await comparedWith((call, reply) => {
      const isRight = call.operation === "ValidatePin" && call.steps === 0;
      return isRight ? spoil(reply) : reply;
    });
    assertEquals(code, 1);
    for (const form of FORMS) {
      assert(new RegExp(`^Different: .*a right pin, by ${form}`, "m").test(report), report);
    }
  });
}

Deno.test("a WSDL that is sent as an error, or as no XML, is found: tools refuse to read it", async () => {
  const asHtml: RowLie["say"] = (reply) => ({ ...reply, type: "text/html" });
  for (const spoil of [withStatus(500), asHtml]) {
    const [code, report] = await comparedWith((call, reply) => isWsdl(call) ? spoil(reply) : reply);
    assertEquals(code, 1);
    assert(/^Different: .*the WSDL's operations/m.test(report), report);
  }
});

// Rules of a whole server that is not what it says.
const SERVERS: readonly (readonly [string, Lie])[] = [
  ["accepts every pin", (_call, reply) => accepted(reply)],
  [
    "accepts no pin",
    (_call, reply) => ({ ...reply, text: reply.text.replace(/true|True/, "false") }),
  ],
  [
    "accepts one step more on one side",
    (call, reply) => call.steps === 2 ? accepted(reply) : reply,
  ],
  [
    "pairs with another key",
    (call, reply) =>
      call.operation === "Pair"
        ? {
          ...reply,
          text: reply.text.replace(
            /[A-Z2-7]{50,}/g,
            (key) => key.replace(/^./, "7"),
          ),
        }
        : reply,
  ],
  ["shows another key in Html", (call, reply) => {
    const text = reply.text.replace(/(Manually pair with )./, "$17");
    return call.operation === "Pair" ? { ...reply, text } : reply;
  }],
  ["takes pins as numbers", (call, reply) => /^\d{5}$/.test(pinOf(call)) ? accepted(reply) : reply],
  ["answers each fault with 200", (_call, reply) => ({ ...reply, status: 200 })],
];

for (const [what, lie] of SERVERS) {
  Deno.test(`a server is found out that ${what}`, async () => {
    const [code, report] = await comparedWith(lie);
    assertEquals(code, 1, report);
    assert(/^Different: /m.test(report), report);
  });
}

Deno.test("a server that sends no reply whole is no such service", async () => {
  const [code, report] = await comparedWith((_call, reply) => ({
    ...reply,
    text: reply.text.slice(0, -2),
  }));
  assertEquals(code, 1);
  assert(report.endsWith(" does not answer as such a service: 200 text/xml"), report);
});

Deno.test("one cause is one line, however many answers it changes", async () => {
  const [, report] = await comparedWith((call, reply) =>
    call.form === "short route" ? reply : { ...reply, text: reply.text.replace("true", "false") }
  );
  const lines = report.match(/^(?:Option|Different): .*$/gm)!;
  // The question that has two answers has its own.
  assertEquals(lines.length, 2, report);
  assert(/a right pin, by SOAP 1.1; .*a right pin, by JSON/.test(lines[0]!), report);
});
