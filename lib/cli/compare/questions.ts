/**
 * Table of the questions of a comparison.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { type Config, OPTIONS } from "../../config/options.ts";
import { JSON_TYPE } from "../../bindings/json.ts";
import { percentEncode, setupCode } from "../../otp/key_uri.ts";
import { secretKey } from "../../otp/secret.ts";
import type { PairingInfo } from "../../operations/pair.ts";
import { attributeValue, isElement, type XmlElement } from "../../xml/tree.ts";
import {
  type Call,
  describeReply,
  documentOf,
  type Form,
  FORMS,
  keyIn,
  type Reply,
  resultOf,
  writeCall,
} from "./calls.ts";

/** Groups of questions, in their order. */
export const GROUPS = ["Description", "Pairing", "Clock and window", "Pins", "Faults"] as const;

/** What a question is made of: drawn anew each time it is asked. */
export interface Draw {
  /** The secret. */
  readonly secret: string;
  /** Returns the code of the secret that is right some time steps from now. */
  readonly code: (steps: number) => string;
  /** A pin that is wrong in the window and around it. */
  readonly wrongPin: string;
  /** The namespace of the other side. */
  readonly namespace: string;
  /** Scheme and authority of the address that is asked. */
  readonly origin: string;
}

/** Question: a row of the table. */
export interface Question {
  /** The group, which has a line of the report. */
  readonly group: typeof GROUPS[number];
  /** The name, for a person. */
  readonly name: string;
  /** Makes the calls, one after the other; undefined to read the replies of the row before again. */
  readonly calls?: (draw: Draw) => readonly Call[];
  /** Reads the answer to compare, from the replies. */
  readonly read: (replies: readonly Reply[], draw: Draw) => string;
  /** Returns the options that an answer shows. */
  readonly shows?: (answer: string, draw: Draw) => Partial<Config>;
  /** The answer of the hosted service where no option restores it. */
  readonly known?: string;
  /** Requirement on its secret. */
  readonly secret?: "outside ASCII" | "code begins with 0";
  /** Whether it is asked without an API key. */
  readonly isAnonymous?: boolean;
  /** The distance of the time step in question, in the rows of the window. */
  readonly steps?: number;
}

const APP = { appName: "Authenticator compare", appInfo: "jane doe" };

/** Lists the questions about a server that should have some options. */
export function questionsFor(
  { window, trustProxy, apiKeysFile }: Pick<Config, "window" | "trustProxy" | "apiKeysFile">,
): readonly Question[] {
  return [
    ...DESCRIPTION,
    ...(trustProxy ? [] : [FORWARDED]),
    ...PAIRING,
    ...windowSteps(window).map(windowQuestion),
    ...PINS,
    SEALING,
    ...(apiKeysFile === undefined ? [] : [ANONYMOUS]),
    ...FAULTS,
  ];
}

function windowSteps(window: number): readonly number[] {
  const distances = [1, window, window + 1, 10, 11];
  return [...new Set([0, ...distances.flatMap((distance) => [distance, -distance])])];
}

/** Makes the question whether the code of a time step is accepted. */
export function windowQuestion(steps: number): Question {
  const distance = `${Math.abs(steps)} ${Math.abs(steps) === 1 ? "step" : "steps"}`;
  return {
    ...pinQuestion(
      steps === 0 ? "the code of now" : `the code ${distance} ${steps < 0 ? "behind" : "ahead"}`,
      "HTTP GET",
      ({ code }) => code(steps),
    ),
    group: "Clock and window",
    steps,
  };
}

const WSDL: Call = { method: "GET", path: "/api.asmx?wsdl", headers: {} };

const DESCRIPTION: readonly Question[] = [
  {
    ...wsdlQuestion("the WSDL's operations", (root) => operationsIn(root).join(", ")),
    calls: () => [WSDL],
  },
  {
    ...wsdlQuestion("the WSDL's namespace", (root) => attribute(root, "targetNamespace")),
    shows: (answer) => optionOf("namespace", answer),
  },
  {
    ...wsdlQuestion("the WSDL's addresses", addressesIn),
    shows: (answer, { origin }) => {
      const [, base = origin] = /^(\S+)\/api\.asmx$/i.exec(answer) ?? [];
      return optionOf("baseUrl", base === origin ? "" : base);
    },
  },
];

// A proxy in front of a server that trusts it hides this.
const FORWARDED: Question = {
  ...wsdlQuestion("the WSDL's addresses, with X-Forwarded-Host", addressesIn),
  calls: () => [{ ...WSDL, headers: { "x-forwarded-host": "pins.example" } }],
  shows: (answer) => ({ trustProxy: answer.includes("//pins.example/") }),
};

const OF_HTML: readonly Question[] = [
  {
    ...pairQuestion(
      "the Key URI",
      "HTTP GET",
      ({ ManualSetupCode: key, Html: html }) =>
        uriIn(html).replace(`secret=${key}&`, "secret=KEY&"),
    ),
    shows: (uri) => uri.startsWith("otpauth:") ? codeSettingsIn(new URL(uri).searchParams) : {},
    // No issuer in the label, and no space in the account.
    known: `otpauth://totp/janedoe?secret=KEY&issuer=${percentEncode(APP.appName)}`,
  },
  {
    ...pairQuestion("the form of Html", "HTTP GET", ({ Html: html }) => formOf(html)),
    shows: (answer) => optionOf("html", answer.replace(/,.*$/, "")),
  },
];

const OF_PAIR_ASPX: readonly Question[] = [{
  ...pairQuestion("the addresses in Html", "short route", ({ Html: html }) => {
    const { link, picture } = IMAGE.exec(html)?.groups ?? {};
    return link === undefined ? "not a link around a picture" : `${link}, ${picture}`;
  }),
  known: "https://www.authenticatorapi.com, https://www.AuthenticatorAPI.com/qr.aspx",
}];

const PAIRING: readonly Question[] = FORMS.flatMap((form): readonly Question[] => [
  {
    ...pairQuestion(
      `the setup key, by ${form}`,
      form,
      ({ ManualSetupCode: key, Html }, draw) =>
        keyIn(Html) === key ? keyKind(key, draw.secret) : "two keys",
    ),
    calls: ({ secret: secretCode, namespace }) => [
      writeCall(form, "Pair", { ...APP, secretCode }, namespace),
    ],
    shows: (answer) => ENCODINGS.get(answer) ?? {},
  },
  ...(form === "HTTP GET" ? OF_HTML : form === "short route" ? OF_PAIR_ASPX : []),
]);

const PINS: readonly Question[] = [
  ...FORMS.flatMap((form) => [
    pinQuestion(`a right pin, by ${form}`, form, ({ code }) => code(0)),
    pinQuestion(`a wrong pin, by ${form}`, form, ({ wrongPin }) => wrongPin),
  ]),
  {
    ...pinQuestion(
      "a right pin with a space",
      "HTTP GET",
      ({ code }) => code(0).replace(/^.../, "$& "),
    ),
    known: "false",
  },
  pinQuestion("an empty pin", "HTTP GET", () => ""),
  pinQuestion("letters for a pin", "SOAP 1.1", () => "abcdef"),
  {
    ...pinQuestion("a right pin that begins with 0", "JSON", ({ code }) => code(0)),
    secret: "code begins with 0",
  },
  {
    ...pinQuestion("a right pin without its first 0", "JSON", ({ code }) => code(0).slice(1)),
    secret: "code begins with 0",
  },
  {
    ...pinQuestion("a right pin for a secret outside ASCII", "HTTP POST", ({ code }) => code(0)),
    secret: "outside ASCII",
    known: "false",
  },
  {
    ...pinQuestion("a right pin twice", "HTTP GET", ({ code }) => code(0), 2),
    shows: (answer) => ({ singleUse: answer === "true, false" }),
  },
];

const SEALING: Question = {
  group: "Pins",
  name: "whether it seals secrets",
  calls: ({ secret }) => [{
    method: "POST",
    path: "/seal",
    headers: { "content-type": JSON_TYPE },
    body: JSON.stringify({ secretCode: secret }),
  }],
  read: ([reply]) => /^\{"d":"eyJ[^"]*"\}$/.test(reply!.text) ? "it does" : "it does not",
  // A file that this process does not read: the local side draws a key.
  shows: (answer) => ({ sealKeysFile: answer === "it does" ? "FILE" : undefined }),
};

const ANONYMOUS: Question = {
  ...pinQuestion("a right pin without an API key", "HTTP GET", ({ code }) => code(0)),
  shows: (answer) => answer === "true" ? { apiKeysFile: undefined } : {},
  isAnonymous: true,
};

// The status, the media type and the code of a fault are compared, and not its sentence, which may
// change in any version. The hosted service writes the status 500 for all of them.
const FAULTS: readonly Question[] = [
  faultQuestion("a missing pin, by HTTP GET", "HTTP GET", (draw) => ({ secretCode: draw.secret }), {
    known: "500 text/plain",
  }),
  ...([
    ["HTTP GET", "500 text/plain"],
    ["JSON", "500 application/json"],
    ["SOAP 1.1", "500 text/xml Server"],
    ["SOAP 1.2", "500 application/soap+xml Receiver"],
  ] as const).map(([form, known]) =>
    faultQuestion(`a missing secretCode, by ${form}`, form, ({ wrongPin: pin }) => ({ pin }), {
      known,
    })
  ),
  faultQuestion(
    "an empty secretCode",
    "HTTP GET",
    ({ wrongPin: pin }) => ({ pin, secretCode: "" }),
    {
      known: "false",
    },
  ),
  faultQuestion("a missing Pin, by /Validate.aspx", "short route", (draw) => ({
    secretCode: draw.secret,
  })),
  faultQuestion("an empty Pin, by /Validate.aspx", "short route", (draw) => ({
    pin: "",
    secretCode: draw.secret,
  }), { known: "Pass 'Pin' in QueryString" }),
  faultQuestion("an unknown operation, by HTTP GET", "HTTP GET", () => ({}), {
    operation: "Unpair",
    known: "500 text/plain",
  }),
  faultQuestion("an unknown operation, by SOAP 1.1", "SOAP 1.1", () => ({}), {
    operation: "Unpair",
  }),
  faultQuestion("malformed XML", "SOAP 1.1", ({ wrongPin: pin }) => ({ pin }), {
    change: (call) => ({ ...call, body: call.body!.slice(0, -1) }),
    known: "400, empty",
  }),
];

function pinQuestion(
  name: string,
  form: Form,
  pin: (draw: Draw) => string,
  times = 1,
): Question {
  return {
    group: "Pins",
    name,
    calls: (draw) => {
      const args = { pin: pin(draw), secretCode: draw.secret };
      return Array(times).fill(writeCall(form, "ValidatePin", args, draw.namespace));
    },
    read: (replies, draw) => replies.map((reply) => pinAnswer(form, reply, draw)).join(", "),
  };
}

interface FaultParts {
  readonly operation?: string;
  readonly change?: (call: Call) => Call;
  readonly known?: string;
}

function faultQuestion(
  name: string,
  form: Form,
  args: (draw: Draw) => Readonly<Record<string, string>>,
  { operation = "ValidatePin", change = (same) => same, ...known }: FaultParts = {},
): Question {
  return {
    group: "Faults",
    name,
    calls: (draw) => [change(writeCall(form, operation, args(draw), draw.namespace))],
    read: (replies, draw) => replies.map((reply) => pinAnswer(form, reply, draw)).join(", "),
    ...known,
  };
}

function pinAnswer(form: Form, reply: Reply, { namespace }: Draw): string {
  const result = resultOf(form, "ValidatePin", reply, namespace);
  return typeof result === "string" ? result : describeReply(reply);
}

/** Makes a question about a pairing, from the reply of the row before unless it has calls. */
function pairQuestion(
  name: string,
  form: Form,
  read: (info: PairingInfo, draw: Draw) => string,
): Question {
  return {
    group: "Pairing",
    name,
    read: ([reply], draw) => {
      const info = resultOf(form, "Pair", reply!, draw.namespace);
      return typeof info === "object" ? read(info, draw) : describeReply(reply!);
    },
  };
}

const ENCODINGS: ReadonlyMap<string, Partial<Config>> = new Map([
  ["the secret as text", { secretEncoding: "text" }],
  ["the secret as Base32", { secretEncoding: "base32" }],
]);

function keyKind(key: string, secret: string): string {
  const [kind = "another key"] = [...ENCODINGS].find(([, { secretEncoding }]) => {
    const bytes = secretKey(secret, secretEncoding!);
    return bytes && setupCode(bytes) === key;
  }) ?? [];
  return kind;
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

function uriIn(html: string): string {
  const [, href] = /^<a title='[^']*' href='(otpauth:[^']*)'>/.exec(html) ?? [];
  const data = IMAGE.exec(html)?.groups?.["data"];
  try {
    return href?.replaceAll("&amp;", "&") ?? decodeURIComponent(data ?? "no Key URI");
  } catch {
    return "no Key URI";
  }
}

function codeSettingsIn(parameters: URLSearchParams): Partial<Config> {
  const names = ["algorithm", "digits", "period"] as const;
  return Object.assign(
    {},
    ...names.map((name) => optionOf(name, parameters.get(name) ?? OPTIONS[name].defaultText)),
  );
}

// Reads an option from an answer; an unusable value shows none.
function optionOf(name: keyof Config, text: string): Partial<Config> {
  const parsed = OPTIONS[name].parse(text);
  return typeof parsed === "object" ? { [name]: parsed.value } : {};
}

/** Makes a question about the WSDL, from the reply of the row before unless it has calls. */
function wsdlQuestion(name: string, read: (root: XmlElement) => string): Question {
  return {
    group: "Description",
    name,
    read: ([reply]) => {
      const { status, type, text } = reply!;
      const root = status === 200 && type === "text/xml" ? documentOf(text) : undefined;
      return root?.localName === "definitions" ? read(root) : describeReply(reply!);
    },
  };
}

function operationsIn(root: XmlElement): readonly string[] {
  return elementsIn(root, "portType").map((portType) => {
    const names = elementsIn(portType, "operation").map((each) => attribute(each, "name"));
    return `${attribute(portType, "name")}: ${names.join(" ")}`;
  });
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
