/**
 * Servers that lie to the command `compare`: in one point, in every reply of a kind, or as a whole.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { type Question, questionsFor, windowQuestion } from "../../lib/cli/compare/questions.ts";
import type { AskedCall, Lie, SentReply } from "./compared_server.ts";

/** Lie about the calls that a question asks. */
export interface RowLie {
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
/** Says another status. */
export const withStatus = (status: number): RowLie["say"] => (reply) => ({ ...reply, status });

/** Whether a call asks for the WSDL. */
export const isWsdl = ({ target, headers }: AskedCall): boolean =>
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

/** The lie of each question, by its name. A new question needs one here. */
export const LIES:
  readonly (readonly [name: RegExp, lie: (...groups: readonly string[]) => RowLie])[] = [
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
    [
      /^an empty pin$/,
      () => ({ about: isPin("HTTP GET", (call) => pinOf(call) === ""), say: YES }),
    ],
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

/** Finds the lie of a question. */
export function lieAbout({ name }: Question): RowLie | undefined {
  const found = LIES.filter(([pattern]) => pattern.test(name));
  assert(found.length <= 1, name);
  return found[0] && found[0][1](...found[0][0].exec(name)!.slice(1));
}

// With the steps that are always asked about for a window of 1.
const STEPS = [0, 1, 2, 10, 11].flatMap((steps) => steps === 0 ? [0] : [steps, -steps]);
/** All questions that are always asked, and the one with API keys. */
export const QUESTIONS = [
  ...Object.values(questionsFor({ trustProxy: false, apiKeysFile: "/nowhere" }, undefined)).flat(),
  ...STEPS.map(windowQuestion),
];

/** Changes that a server, or a machine before it, can make to any reply. */
export const SPOILT: readonly (readonly [string, (reply: SentReply) => SentReply])[] = [
  ["HTML in its place", (reply) => ({ ...reply, type: "text/html", text: "<p>Sign in</p>" })],
  ["half of it", (reply) => ({ ...reply, text: reply.text.slice(0, reply.text.length / 2) })],
  ["in upper case", (reply) => ({
    ...reply,
    text: reply.text.replace(/(>|:)true(?=<|})/, "$1TRUE").replace("True", "TRUE"),
  })],
  ["with another status", withStatus(202)],
  ["with another media type", (reply) => ({ ...reply, type: "application/octet-stream" })],
];

/** Rules of a whole server that is not what it says. */
export const SERVERS: readonly (readonly [string, Lie])[] = [
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
  [
    "answers JSON with a member in place of a boolean",
    ({ form, steps }, reply) =>
      form === "JSON" && steps === 0 ? { ...reply, text: '{"d":{"":"true"}}' } : reply,
  ],
  ...[
    '{"d":{"toString":"","Html":{"toString":""}}}',
    `{"d":${"[".repeat(9_000)}${"]".repeat(9_000)}}`,
  ]
    .map((text, i): readonly [string, Lie] => [
      `answers JSON that is no text, nor anything that becomes one (${i})`,
      ({ form, target }, reply) =>
        form === "JSON" || target === "/seal"
          ? { status: 200, type: "application/json", text }
          : reply,
    ]),
  ["answers each fault with 200", (_call, reply) => ({ ...reply, status: 200 })],
];
