/**
 * Table of the questions of a comparison.
 *
 * @module
 */

import { createHash, randomBytes } from "node:crypto";
import { flagOf } from "../../config/option.ts";
import { type Config, OPTIONS } from "../../config/options.ts";
import { JSON_TYPE } from "../../bindings/json.ts";
import { percentEncode, setupCode } from "../../otp/key_uri.ts";
import type { PairingInfo } from "../../operations/pair.ts";
import { openSecret, SealKeys, UnopenedError } from "../../sealing/seal_keys.ts";
import { attributeValue, isElement, type XmlElement } from "../../xml/tree.ts";
import type { ServerReply } from "../http_client.ts";
import {
  type Call,
  describeReply,
  documentOf,
  type Form,
  FORMS,
  keyIn,
  memberIn,
  resultOf,
  typeOf,
  writeCall,
} from "../service_calls.ts";

/** Values of a question, drawn anew each time a code is needed. */
export interface Draw {
  /** The secret. */
  readonly secretCode: string;
  /** The right pin. */
  readonly pin: string;
  /** Returns the pin that is right some time steps from now. */
  readonly pinAt: (steps: number) => string;
  /** A pin that is wrong in the window and around it. */
  readonly wrongPin: string;
  /** The namespace of the other side. */
  readonly namespace: string;
  /** Scheme and authority of the address that is asked. */
  readonly origin: string;
}

/** Question: a row of the table. */
export interface Question {
  /** The name, for a person. */
  readonly name: string;
  /** Makes the call. */
  readonly call: (draw: Draw) => Call;
  /** Number of times that the call is made, one after the other; 1 unless given. */
  readonly times?: number;
  /** Reads the answer to compare from a reply. */
  readonly read: (reply: ServerReply, draw: Draw) => string;
  /** Returns the options that an answer shows. */
  readonly shows?: (answer: string, draw: Draw) => Partial<Config>;
  /** Another file of keys that explains an answer, and what to do. */
  readonly keyFile?: {
    readonly option: "apiKeysFile" | "sealKeysFile";
    readonly answer: RegExp;
    readonly advice: string;
  };
  /** The answer of the hosted service where no option restores it. */
  readonly known?: string;
  /** Requirement on its secret. */
  readonly secret?: "outside ASCII" | "code begins with 0";
  /** The distance of its time step, where that is far. */
  readonly distance?: number;
  /** Whether it is asked without an API key. */
  readonly isAnonymous?: boolean;
}

const APP = { appName: "Authenticator compare", appInfo: "jane doe" };

/** Groups of questions whose right answers change with the time step. */
export const WINDOW = "Clock and window";
/** Group of the other questions with a code. */
export const RIGHT_PINS = "Right pins";

/**
 * Lists the questions about a server that should have some options, by the groups of the report.
 *
 * @param sealKeys Its keys of sealed secrets; undefined for none.
 */
export function questionsFor(
  { trustProxy, apiKeysFile }: Pick<Config, "trustProxy" | "apiKeysFile">,
  sealKeys: SealKeys | undefined,
): Readonly<Record<string, readonly Question[]>> {
  return {
    // A proxy in front of a server that trusts it hides the second answer.
    "Description": [...DESCRIPTION, ...(trustProxy ? [] : [FORWARDED]), sealQuestion(sealKeys)],
    "Pairing": PAIRING,
    // Its questions follow from the answers.
    [WINDOW]: [],
    [RIGHT_PINS]: apiKeysFile === undefined ? RIGHT : [...RIGHT, ANONYMOUS],
    "Wrong pins": WRONG,
  };
}

/** Makes the question whether the code of a time step is accepted. */
export function windowQuestion(steps: number): Question {
  const distance = `${Math.abs(steps)} ${Math.abs(steps) === 1 ? "step" : "steps"}`;
  return validation(
    steps === 0 ? "the code of now" : `the code ${distance} ${steps < 0 ? "behind" : "ahead"}`,
    "HTTP GET",
    ({ pinAt, secretCode }) => ({ pin: pinAt(steps), secretCode }),
    { distance: Math.abs(steps) },
  );
}

const WSDL: Call = { method: "GET", path: "/api.asmx?wsdl", headers: {} };

const DESCRIPTION: readonly Question[] = [
  { name: "the WSDL's operations", call: () => WSDL, read: wsdlReader(operationsIn) },
  {
    name: "the WSDL's namespace",
    call: () => WSDL,
    read: wsdlReader((root) => attribute(root, "targetNamespace")),
    shows: (answer) => optionOf("namespace", answer),
  },
  {
    name: "the WSDL's addresses",
    call: () => WSDL,
    read: wsdlReader(addressesIn),
    shows: (answer, { origin }) => {
      const [, base = origin] = /^(\S+)\/api\.asmx$/i.exec(answer) ?? [];
      return optionOf("baseUrl", base === origin ? "" : base);
    },
  },
];

const FORWARDED: Question = {
  name: "the WSDL's addresses, with X-Forwarded-Host",
  call: () => ({ ...WSDL, headers: { "x-forwarded-host": "pins.example" } }),
  read: wsdlReader(addressesIn),
  shows: (answer) => ({ trustProxy: answer.includes("//pins.example/") }),
};

/** Text of a 404 of this program or of ASP.NET, and not of a proxy. */
const NO_SUCH_PATH = /^Not found\.\s*$|The resource (?:cannot be found|you are looking for)/;

function sealQuestion(keys: SealKeys | undefined): Question {
  return {
    name: "the seal of a secret",
    call: ({ secretCode }) => ({
      method: "POST",
      path: "/seal",
      headers: { "content-type": JSON_TYPE },
      body: JSON.stringify({ secretCode }),
    }),
    read: (reply, { secretCode }) =>
      sealIn(reply, secretCode, keys) ?? `no answer to this question: ${describeReply(reply)}`,
    keyFile: {
      option: "sealKeysFile",
      answer: /^(?:no|a) seal/,
      advice:
        `Give both the same ${flagOf("sealKeysFile")}, and take each step of a change of its ` +
        "keys on all servers: a secret sealed by one opens at none that lacks the key.",
    },
  };
}

const NO_KEYS = new SealKeys([], randomBytes);

function sealIn(
  reply: ServerReply,
  secretCode: string,
  keys: SealKeys | undefined,
): string | undefined {
  const { status, text } = reply;
  if (status === 404 && NO_SUCH_PATH.test(text)) return "no seal";
  if (status !== 200 || typeOf(reply) !== JSON_TYPE) return undefined;
  try {
    const opened = openSecret(String(memberIn(text)), keys ?? NO_KEYS);
    if (opened.text !== secretCode || opened.form === "plain") return undefined;
    return opened.form === "sealed" ? "a seal of the first key" : "a seal of an older key";
  } catch (error) {
    if (!(error instanceof UnopenedError)) throw error;
    return error.code === "not-of-this-format" ? undefined : "a seal of another key";
  }
}

const PAIRING: readonly Question[] = [
  ...FORMS.map((form) =>
    pairing(
      `the setup key, by ${form}`,
      form,
      ({ ManualSetupCode: key, Html }, { secretCode }) =>
        keyIn(Html) === key ? keyKind(key, secretCode) : "two keys",
      {
        shows: (answer) => optionOf("secretEncoding", answer.replace("the secret as ", "")),
      },
    )
  ),
  pairing("the Key URI", "HTTP GET", keyUriIn, {
    shows: (uri) => uri.startsWith("otpauth:") ? codeSettingsIn(new URL(uri).searchParams) : {},
    // No issuer in the label, and no space in the account.
    known: `otpauth://totp/janedoe?secret=KEY&issuer=${percentEncode(APP.appName)}`,
  }),
  pairing("the form of Html", "HTTP GET", ({ Html }) => formOf(Html), {
    shows: (answer) => optionOf("html", answer.replace(/,.*$/, "")),
  }),
  pairing("the addresses in Html", "short route", ({ Html }) => addressesOfPicture(Html), {
    known: "https://www.authenticatorapi.com, https://www.AuthenticatorAPI.com/qr.aspx",
  }),
];

type Arguments = Readonly<Record<string, string>>;

const RIGHT_PIN = ({ pin, secretCode }: Draw): Arguments => ({ pin, secretCode });
const WRONG_PIN = ({ wrongPin: pin, secretCode }: Draw): Arguments => ({ pin, secretCode });
const EMPTY_PIN = ({ secretCode }: Draw): Arguments => ({ pin: "", secretCode });
const NO_PIN = ({ secretCode }: Draw): Arguments => ({ secretCode });
const NO_SECRET = ({ wrongPin: pin }: Draw): Arguments => ({ pin });

const RIGHT: readonly Question[] = [
  ...FORMS.map((form) => validation(`a right pin, by ${form}`, form, RIGHT_PIN)),
  validation("a right pin with a space", "HTTP GET", ({ pin, secretCode }) => ({
    pin: pin.replace(/^.../, "$& "),
    secretCode,
  }), { known: "false" }),
  validation("a right pin that begins with 0", "JSON", RIGHT_PIN, { secret: "code begins with 0" }),
  validation("a right pin without its first 0", "JSON", ({ pin, secretCode }) => ({
    pin: pin.slice(1),
    secretCode,
  }), { secret: "code begins with 0" }),
  validation("a right pin for a secret outside ASCII", "HTTP POST", RIGHT_PIN, {
    secret: "outside ASCII",
    known: "false",
  }),
  validation("a right pin twice", "HTTP GET", RIGHT_PIN, {
    times: 2,
    shows: (answer) => ({ singleUse: answer === "true, false" }),
  }),
];

const ANONYMOUS = validation("a right pin without an API key", "HTTP GET", RIGHT_PIN, {
  isAnonymous: true,
  keyFile: {
    option: "apiKeysFile",
    answer: /^true$/,
    advice: "It answers callers without an API key.",
  },
});

// Status, media type and code of a fault are compared, and not its sentence, which may change in any
// version. The hosted service writes the status 500 for all of them.
const WRONG: readonly Question[] = [
  ...FORMS.map((form) => validation(`a wrong pin, by ${form}`, form, WRONG_PIN)),
  validation("an empty pin", "HTTP GET", EMPTY_PIN),
  validation("letters for a pin", "SOAP 1.1", ({ secretCode }) => ({ pin: "abcdef", secretCode })),
  validation("a missing pin, by HTTP GET", "HTTP GET", NO_PIN, { known: "500 text/plain" }),
  withoutSecret("HTTP GET", "500 text/plain"),
  withoutSecret("JSON", "500 application/json"),
  withoutSecret("SOAP 1.1", "500 text/xml Server"),
  withoutSecret("SOAP 1.2", "500 application/soap+xml Receiver"),
  validation("an empty secretCode", "HTTP GET", ({ wrongPin: pin }) => ({ pin, secretCode: "" }), {
    known: "false",
  }),
  validation("a missing Pin, by /Validate.aspx", "short route", NO_PIN),
  validation("an empty Pin, by /Validate.aspx", "short route", EMPTY_PIN, {
    known: "Pass 'Pin' in QueryString",
  }),
  validation("an unknown operation, by HTTP GET", "HTTP GET", NO_SECRET, {
    call: ({ namespace }) => writeCall("HTTP GET", "Unpair", {}, namespace),
    known: "500 text/plain",
  }),
  validation("an unknown operation, by SOAP 1.1", "SOAP 1.1", NO_SECRET, {
    call: ({ namespace }) => writeCall("SOAP 1.1", "Unpair", {}, namespace),
  }),
  validation("malformed XML", "SOAP 1.1", NO_SECRET, {
    call: ({ wrongPin: pin, namespace }) => {
      const whole = writeCall("SOAP 1.1", "ValidatePin", { pin }, namespace);
      return { ...whole, body: whole.body!.slice(0, -1) };
    },
    known: "400, empty",
  }),
];

function withoutSecret(form: Form, known: string): Question {
  return validation(`a missing secretCode, by ${form}`, form, NO_SECRET, { known });
}

/** Makes a question about ValidatePin. */
function validation(
  name: string,
  form: Form,
  args: (draw: Draw) => Arguments,
  more: Partial<Question> = {},
): Question {
  return {
    name,
    call: (draw) => writeCall(form, "ValidatePin", args(draw), draw.namespace),
    read: (reply, { namespace }) => {
      const result = resultOf(form, "ValidatePin", reply, namespace);
      return typeof result === "string" ? result : describeReply(reply);
    },
    ...more,
  };
}

/** Makes a question about Pair. */
function pairing(
  name: string,
  form: Form,
  read: (info: PairingInfo, draw: Draw) => string,
  more: Partial<Question>,
): Question {
  return {
    name,
    call: ({ secretCode, namespace }) => writeCall(form, "Pair", { ...APP, secretCode }, namespace),
    read: (reply, draw) => {
      const info = resultOf(form, "Pair", reply, draw.namespace);
      return typeof info === "object" ? read(info, draw) : describeReply(reply);
    },
    ...more,
  };
}

function keyKind(key: string, secretCode: string): string {
  // The secrets of the questions are Base32.
  if (key === secretCode) return "the secret as base32";
  return key === setupCode(new TextEncoder().encode(secretCode))
    ? "the secret as text"
    : "another key";
}

/** Html in the shape of the hosted service. */
const IMAGE =
  /^<a title='[^']*' href='(?<link>[^']*)'><img src='(?<picture>[^'?]*)\?size=300x300&data=(?<data>[^'&]*)' border=0><\/a>$/;

function formOf(html: string): string {
  if (IMAGE.test(html)) return "image";
  const [, svg] = /^<a [^>]*>(<svg [^]*<\/svg>)<\/a>$/.exec(html) ?? [];
  if (svg === undefined) return "neither svg nor image";
  // The picture holds the Key URI too, and with it the key.
  return `svg, picture ${createHash("sha256").update(svg).digest("hex").slice(0, 8)}`;
}

function addressesOfPicture(html: string): string {
  const { link, picture } = IMAGE.exec(html)?.groups ?? {};
  return link === undefined ? "not a link around a picture" : `${link}, ${picture}`;
}

function keyUriIn({ ManualSetupCode: key, Html }: PairingInfo): string {
  const [, href] = /^<a title='[^']*' href='(otpauth:[^']*)'>/.exec(Html) ?? [];
  const data = IMAGE.exec(Html)?.groups?.["data"];
  try {
    const uri = href?.replaceAll("&amp;", "&") ?? decodeURIComponent(data ?? "no Key URI");
    return uri.replace(`secret=${key}&`, "secret=KEY&");
  } catch {
    return "no Key URI";
  }
}

function codeSettingsIn(parameters: URLSearchParams): Partial<Config> {
  const settingOf = (name: "algorithm" | "digits" | "period"): Partial<Config> =>
    optionOf(name, parameters.get(name) ?? OPTIONS[name].defaultText);
  return { ...settingOf("algorithm"), ...settingOf("digits"), ...settingOf("period") };
}

// Reads an option from an answer; an unusable value shows none.
function optionOf(name: keyof Config, text: string): Partial<Config> {
  const parsed = OPTIONS[name].parse(text);
  return typeof parsed === "object" ? { [name]: parsed.value } : {};
}

function wsdlReader(read: (root: XmlElement) => string): Question["read"] {
  return (reply) => {
    const isDocument = reply.status === 200 && typeOf(reply) === "text/xml";
    const root = isDocument ? documentOf(reply.text) : undefined;
    return root?.localName === "definitions" ? read(root) : describeReply(reply);
  };
}

function operationsIn(root: XmlElement): string {
  return elementsIn(root, "portType").map((portType) => {
    const names = elementsIn(portType, "operation").map((each) => attribute(each, "name"));
    return `${attribute(portType, "name")}: ${names.join(" ")}`;
  }).join(", ");
}

function addressesIn(root: XmlElement): string {
  const addresses = elementsIn(root, "address").map((each) => attribute(each, "location"));
  return [...new Set(addresses)].join(", ");
}

function elementsIn(parent: XmlElement, name: string): readonly XmlElement[] {
  return parent.children.filter(isElement).flatMap((each) => [
    ...(each.localName === name ? [each] : []),
    ...elementsIn(each, name),
  ]);
}

function attribute(element: XmlElement, name: string): string {
  return attributeValue(element, "", name) ?? "";
}
