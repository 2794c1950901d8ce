/**
 * Table of the questions of a comparison.
 *
 * @module
 */

import { createHash, randomBytes } from "node:crypto";
import { type Config, OPTIONS } from "../../config/options.ts";
import { PAIR, SEAL, VALIDATE_PIN } from "../../operations/operations.ts";
import { percentEncode, setupCode } from "../../otp/key_uri.ts";
import { SealKeys, UnopenedError } from "../../sealing/seal_keys.ts";
import { attributeValue } from "../../xml/tree.ts";
import type { ServerReply } from "../http_reply.ts";
import {
  describeReply,
  elementsIn,
  type Form,
  FORMS,
  resultIn,
  type SentCall,
  textIn,
  writeCall,
} from "./service_calls.ts";

/** Values of a question: drawn for it alone where it has a secret of its own, else for its group. */
export interface Draw {
  /** The secret. */
  readonly secretCode: string;
  /** Returns the pin that is right some time steps from now. */
  readonly pinAt: (steps: number) => string;
  /** A pin that is wrong in the window and around it. */
  readonly wrongPin: string;
  /** The namespace of the other side. */
  readonly namespace: string;
  /** Scheme and authority of the address that is asked. */
  readonly origin: string;
  /** Time of this machine when the values were drawn. */
  readonly drawnMs: number;
  /** Lead of the other side's clock as it was known then. */
  readonly aheadMs: number;
}

/** Question: a row of the table. */
export interface Question {
  /** The name, for a person. */
  readonly name: string;
  /** Makes the call. */
  readonly call: (draw: Draw) => SentCall;
  /** Number of times that the call is made, one after the other; 1 unless given. */
  readonly times?: number;
  /** Reads the answer to compare from a reply; undefined or empty for a reply without one. */
  readonly read: (reply: ServerReply, draw: Draw) => string | undefined;
  /** Its own secret, drawn in the time step of the call; undefined where the step does not matter. */
  readonly secret?: "any" | "outside ASCII" | "code begins with 0";
  /** Whether it is sent without an API key. */
  readonly isAnonymous?: boolean;
  /** Returns the options that an answer shows, as typed; unusable texts show none. */
  readonly shows?: (answer: string, draw: Draw) => Partial<Record<keyof Config, string>>;
  /** Returns advice about another answer where no value of an option explains it. */
  readonly advice?: (answer: string) => string | undefined;
  /** The answer of the hosted service where no option restores it. */
  readonly known?: string;
}

/** Group of questions about the window. */
export const WINDOW = "Clock and window";

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
    "Description": trustProxy ? DESCRIPTION : [...DESCRIPTION, FORWARDED],
    "Pairing": PAIRINGS,
    // Its questions follow from the answers.
    [WINDOW]: [],
    "Sealing": [sealQuestion(sealKeys)],
    "Right pins": apiKeysFile === undefined ? RIGHT : [...RIGHT, ANONYMOUS],
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
    { secret: "any" },
  );
}

const DESCRIPTION: readonly Question[] = [
  description("the WSDL's operations", /\}portType(?:\/|$)/, "name"),
  description("the WSDL's namespace", /^[^}]*\}definitions$/, "targetNamespace", {
    shows: (answer) => ({ namespace: answer }),
  }),
  description("the WSDL's addresses", /\}address$/, "location", {
    shows: (answer, { origin }) => {
      const [, base = origin] = /^(\S+)\/api\.asmx$/i.exec(answer) ?? [];
      return { baseUrl: base === origin ? "" : base };
    },
  }),
];

const FORWARDED = description(
  "the WSDL's addresses, with X-Forwarded-Host",
  /\}address$/,
  "location",
  { shows: (answer) => ({ trustProxy: String(answer.includes("//pins.example/")) }) },
  { "x-forwarded-host": "pins.example" },
);

/** Makes a question about an attribute in the WSDL; equal neighbours count once. */
function description(
  name: string,
  path: RegExp,
  attribute: string,
  more: Partial<Question> = {},
  headers: SentCall["headers"] = {},
): Question {
  return {
    name,
    call: () => ({ method: "GET", path: "/api.asmx?wsdl", headers }),
    read: (reply) => {
      const values = elementsIn(textIn(reply, "text/xml"))
        .filter(([place]) => path.test(place))
        .flatMap(([, element]) => attributeValue(element, "", attribute) ?? []);
      return values.filter((value, i) => value !== values[i - 1]).join(", ");
    },
    ...more,
  };
}

/** Text of a 404 of this program or of ASP.NET, and not of a proxy. */
const NO_SUCH_PATH = /^Not found\.\s*$|The resource (?:cannot be found|you are looking for)/;

function sealQuestion(keys: SealKeys = new SealKeys([], randomBytes)): Question {
  return {
    name: "the seal of a secret",
    call: ({ secretCode }) => writeCall("JSON", SEAL, { secretCode }, ""),
    read: (reply, { secretCode }) =>
      sealIn(reply, secretCode, keys) ?? `no answer to this question: ${describeReply(reply)}`,
    advice: (answer) =>
      /^(?:no|a) seal/.test(answer)
        ? "Give both the same --seal-keys-file, and take each step of a change of its " +
          "keys on all servers: a secret sealed by one opens at none that lacks the key."
        : undefined,
  };
}

function sealIn(reply: ServerReply, secretCode: string, keys: SealKeys): string | undefined {
  if (reply.status === 404 && NO_SUCH_PATH.test(reply.text)) return "no seal";
  const seal = resultIn("JSON", SEAL, reply, "").get("")!.replaceAll('"', "");
  try {
    const { text, form } = keys.open(seal);
    if (text !== secretCode) return undefined;
    return form === "sealed" ? "a seal of the first key" : "a seal of an older key";
  } catch (error) {
    if (!(error instanceof UnopenedError)) throw error;
    return error.code === "not-of-this-format" ? undefined : "a seal of another key";
  }
}

const APP = { appName: "Authenticator compare", appInfo: "jane doe" };

const PAIRINGS: readonly Question[] = [
  ...FORMS.map((form) =>
    pairing(`the setup key, by ${form}`, form, keyKind, {
      shows: (answer) => ({ secretEncoding: answer.replace("the secret as ", "") }),
    })
  ),
  pairing("the Key URI", "HTTP GET", keyUriOf, {
    shows: codeSettingsIn,
    // No issuer in the label, and no space in the account.
    known: `otpauth://totp/janedoe?secret=KEY&issuer=${percentEncode(APP.appName)}`,
  }),
  pairing("the form of Html", "HTTP GET", ({ svg, picture }) => {
    if (svg === undefined) return picture === undefined ? "neither svg nor image" : "image";
    // The picture holds the Key URI too, and with it the key.
    return `svg, picture ${createHash("sha256").update(svg).digest("hex").slice(0, 8)}`;
  }, { shows: (answer) => ({ html: answer.replace(/,.*$/, "") }) }),
  pairing("the addresses in Html", "short route", ({ link, picture }) => {
    return picture === undefined ? "not a link around a picture" : `${link}, ${picture}`;
  }, {
    known: "https://www.authenticatorapi.com, https://www.AuthenticatorAPI.com/qr.aspx",
  }),
];

/** Html of a pairing: of the shape of the hosted service, of this program's, or of another. */
const HTML =
  /^<a title='Manually pair with (?<titleKey>[A-Z2-7]*)' href='(?<link>[^']*)'>(?:<img src='(?<picture>[^'?]*)\?size=300x300&data=(?<data>[^'&]*)' border=0>|(?<svg><svg [^]*<\/svg>)|[^]*)<\/a>$/;

/** Parts of a pairing: the groups of `HTML`, and the setup key. */
type PairingParts = Readonly<Record<string, string | undefined>>;

/** Makes a question about Pair. */
function pairing(
  name: string,
  form: Form,
  read: (parts: PairingParts, draw: Draw) => string,
  more: Partial<Question>,
): Question {
  return {
    name,
    call: ({ secretCode, namespace }) => writeCall(form, PAIR, { ...APP, secretCode }, namespace),
    read: (reply, draw) => {
      const result = resultIn(form, PAIR, reply, draw.namespace);
      const parts = HTML.exec(result.get("Html") ?? "")?.groups;
      const key = form === "short route" ? parts?.["titleKey"] : result.get("ManualSetupCode");
      return result.has("Html") && key ? read({ ...parts, key }, draw) : undefined;
    },
    ...more,
  };
}

function keyKind({ key, titleKey }: PairingParts, { secretCode }: Draw): string {
  if (key !== titleKey) return "two keys";
  // The secrets of the questions are Base32.
  if (key === secretCode) return "the secret as base32";
  return key === setupCode(new TextEncoder().encode(secretCode))
    ? "the secret as text"
    : "another key";
}

function keyUriOf({ key, link, data }: PairingParts): string {
  const uri = data === undefined
    ? link?.replaceAll("&amp;", "&")
    : new URLSearchParams(`data=${data}`).get("data");
  return uri?.replace(`secret=${key}&`, "secret=KEY&") ?? "no Key URI";
}

function codeSettingsIn(uri: string): Partial<Record<keyof Config, string>> {
  if (!uri.startsWith("otpauth:")) return {};
  const parameters = new URLSearchParams(uri.replace(/^[^?]*/, ""));
  const textOf = (name: keyof Config): string => parameters.get(name) ?? OPTIONS[name].defaultText;
  return { algorithm: textOf("algorithm"), digits: textOf("digits"), period: textOf("period") };
}

type Arguments = Readonly<Record<string, string>>;

const RIGHT_PIN = ({ pinAt, secretCode }: Draw): Arguments => ({ pin: pinAt(0), secretCode });
const WRONG_PIN = ({ wrongPin: pin, secretCode }: Draw): Arguments => ({ pin, secretCode });
const EMPTY_PIN = ({ secretCode }: Draw): Arguments => ({ pin: "", secretCode });
const NO_PIN = ({ secretCode }: Draw): Arguments => ({ secretCode });
const NO_SECRET = ({ wrongPin: pin }: Draw): Arguments => ({ pin });

const RIGHT = [
  ...FORMS.map((form) => validation(`a right pin, by ${form}`, form, RIGHT_PIN)),
  validation("a right pin with a space", "HTTP GET", ({ pinAt, secretCode }) => ({
    pin: pinAt(0).replace(/^.../, "$& "),
    secretCode,
  }), { known: "false" }),
  validation("a right pin that begins with 0", "JSON", RIGHT_PIN, { secret: "code begins with 0" }),
  validation("a right pin without its first 0", "JSON", ({ pinAt, secretCode }) => ({
    pin: pinAt(0).slice(1),
    secretCode,
  }), { secret: "code begins with 0" }),
  validation("a right pin for a secret outside ASCII", "HTTP POST", RIGHT_PIN, {
    secret: "outside ASCII",
    known: "false",
  }),
  validation("a right pin twice", "HTTP GET", RIGHT_PIN, {
    times: 2,
    shows: (answer) => ({ singleUse: String(answer === "true, false") }),
  }),
].map((question): Question => ({ secret: "any", ...question }));

const ANONYMOUS = validation("a right pin without an API key", "HTTP GET", RIGHT_PIN, {
  secret: "any",
  isAnonymous: true,
  advice: (answer) => answer === "true" ? "It answers callers without an API key." : undefined,
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
    call: (draw) => writeCall(form, VALIDATE_PIN, args(draw), draw.namespace),
    read: (reply, { namespace }) => resultIn(form, VALIDATE_PIN, reply, namespace).get(""),
    ...more,
  };
}
