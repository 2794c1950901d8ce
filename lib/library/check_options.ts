/**
 * Checks of the options and parts of the library.
 *
 * @module
 */

import { createPrivateKey, randomBytes, X509Certificate } from "node:crypto";
import { checkOptions } from "../config/option.ts";
import { type Config, DEFAULTS, type LibraryOption, OPTIONS } from "../config/options.ts";
import { guardKeyRisks, keyRisks, SERVICE_RISKS } from "../config/risks.ts";
import { MIN_GUARD_KEY_BYTES } from "../guard/fingerprint.ts";
import type { StoreFiles } from "../guard/redis/connect.ts";
import { type CallerKey, KeyRing, parseKeys, sealKeyOfCallers } from "../http/api_keys.ts";
import { parseSealKeys, SealKeys } from "../sealing/seal_keys.ts";
import { KeyFileError } from "../system/key_file.ts";
import { givenValues } from "./given.ts";
import type { AuthenticatorOptions, AuthenticatorParts } from "./authenticator_options.ts";

/** Options as the table has them; the URL of a store is a text here. */
type SharedOptions =
  & { readonly [Name in Exclude<LibraryOption, "guard">]?: Config[Name] | undefined }
  & { readonly guard?: string | undefined };

/** The library's own options. */
type OwnOptions = Pick<AuthenticatorOptions, OwnOption>;

const OWN = [
  "guardKey",
  "guardPassword",
  "guardTlsCa",
  "guardTlsCert",
  "guardTlsKey",
  "apiKeys",
  "sealKeys",
] as const;

type OwnOption = typeof OWN[number];

// Compares the written options with the table: a row that differs does not compile.
const asShared = (options: AuthenticatorOptions): SharedOptions & OwnOptions => options;
const asWritten = (options: SharedOptions & OwnOptions): AuthenticatorOptions => options;

/** Names of all options of the library. */
const OPTION_NAMES: readonly string[] = [
  ...Object.entries(OPTIONS).filter(([, { isOfLibrary }]) => isOfLibrary).map(([name]) => name),
  ...OWN,
];

interface PartKind {
  readonly expected: string;
  /** Types of its fields, of which one with a question mark may be absent; none for a function. */
  readonly fields?: Readonly<Record<string, string>>;
}

const PARTS: Readonly<Record<keyof AuthenticatorParts, PartKind>> = {
  now: { expected: "a function that returns milliseconds since 1970-01-01T00:00:00Z" },
  log: {
    expected: "an object with the function error, and perhaps warn",
    fields: { error: "function", "warn?": "function" },
  },
  telemetry: {
    expected: "an object with the function observe, and perhaps requestId, monotonicMs and peer",
    fields: {
      "observe": "function",
      "requestId?": "function",
      "monotonicMs?": "function",
      "peer?": "function",
    },
  },
  isReady: { expected: "a function that returns true or false" },
  metricsPage: { expected: "a function that returns a text" },
  page: {
    expected: "servicePage of @authenticator/service/page, or an object with the same fields",
    fields: { document: "function", script: "string", style: "string", policy: "string" },
  },
};

function isPart(value: unknown, { fields }: PartKind): boolean {
  if (fields === undefined) return typeof value === "function";
  if (typeof value !== "object" || value === null) return false;
  const given = value as Readonly<Record<string, unknown>>;
  return Object.entries(fields).every(([name, type]) => {
    const allowed = name.endsWith("?") ? ["undefined", type] : [type];
    return allowed.includes(typeof given[name.replace("?", "")]);
  });
}

/**
 * Checks the parts of a service.
 *
 * @throws {TypeError} When a part is unknown or has a wrong value.
 */
export function checkedParts(parts: AuthenticatorParts): AuthenticatorParts {
  const values = givenValues(parts, {
    what: "parts",
    kind: "part",
    names: Object.keys(PARTS),
    elsewhere: (name) =>
      OPTION_NAMES.includes(name)
        ? `${name} is an option: give it in the first argument of createAuthenticator.`
        : undefined,
  });
  for (const [name, value] of values) {
    const part = PARTS[name as keyof AuthenticatorParts];
    if (!isPart(value, part)) throw new TypeError(`${name} must be ${part.expected}.`);
  }
  return Object.fromEntries(values);
}

/** Checked options of the library. */
export interface CheckedOptions {
  /** The options of the table. */
  readonly config: Config;
  /** The key of fingerprints; undefined for a drawn one. */
  readonly guardKey: Uint8Array | undefined;
  /** Reads the texts for a connection to the store. */
  readonly readFiles: (onFailure: (option: string, error: unknown) => void) => StoreFiles;
  /** API keys of callers; undefined when callers need none. */
  readonly apiKeys: KeyRing | undefined;
  /** Keys of sealed secrets; undefined without them. */
  readonly sealKeys: SealKeys | undefined;
  /** Risks of the options and keys, as sentences. */
  readonly risks: readonly string[];
}

/**
 * Checks the options of the library.
 *
 * @throws {TypeError} When an option is unknown or has a wrong value.
 */
export function checkedOptions(options: AuthenticatorOptions): CheckedOptions {
  const values = givenValues(asWritten(asShared(options)), {
    what: "options",
    kind: "option",
    names: OPTION_NAMES,
    elsewhere: (name) => {
      if (Object.hasOwn(PARTS, name)) {
        return `${name} is a part: give it in the second argument of createAuthenticator.`;
      }
      return Object.hasOwn(OPTIONS, name) && !name.endsWith("File")
        ? `${name} is an option of the server, not of the library.`
        : undefined;
    },
  });
  const isOwn = (name: string): boolean => (OWN as readonly string[]).includes(name);
  const shared = Object.fromEntries([...values].filter(([name]) => !isOwn(name)));
  const config = checkOptions(OPTIONS, shared, DEFAULTS);
  const own = Object.fromEntries([...values].filter(([name]) => isOwn(name))) as OwnOptions;
  const guardKey = checkedGuardKey(own.guardKey, config);
  const callers = keysOf("apiKeys", own.apiKeys, parseKeys);
  const ofSecrets = keysOf("sealKeys", own.sealKeys, parseSealKeys);
  const doubled = sealKeyOfCallers(ofSecrets ?? [], callers ?? []);
  if (doubled !== undefined) {
    throw new TypeError(`sealKeys cannot be used: the key ${doubled} is one of apiKeys too.`);
  }
  return {
    config,
    guardKey,
    readFiles: storeTexts(own, config),
    apiKeys: callers && new KeyRing(callers),
    sealKeys: ofSecrets && new SealKeys(ofSecrets, randomBytes),
    risks: risksOf(own, config, callers ?? []),
  };
}

function checkedGuardKey(guardKey: unknown, { guard }: Config): Uint8Array | undefined {
  if (guardKey instanceof Uint8Array && guardKey.length >= MIN_GUARD_KEY_BYTES) return guardKey;
  if (guardKey === undefined && guard === "memory") return undefined;
  const reason = guardKey === undefined ? ", the same for all processes that share a store" : "";
  throw new TypeError(
    `guardKey must be ${MIN_GUARD_KEY_BYTES} random bytes or more in a Uint8Array${reason}.`,
  );
}

function keysOf<Key>(
  option: keyof AuthenticatorOptions,
  lines: unknown,
  parse: (text: string) => readonly Key[],
): readonly Key[] | undefined {
  if (lines === undefined) return undefined;
  if (!Array.isArray(lines)) throw new TypeError(`${option} must be an array of strings.`);
  for (const [i, line] of lines.entries()) {
    if (typeof line !== "string" || !/^[^#\r\n][^\r\n]*$/.test(line)) {
      throw new TypeError(`${option} cannot be used: line ${i + 1} must be one key.`);
    }
  }
  try {
    return parse(lines.join("\n"));
  } catch (error) {
    if (error instanceof KeyFileError) {
      throw new TypeError(`${option} cannot be used: ${error.message}.`);
    }
    throw error;
  }
}

function risksOf(
  { guardKey, apiKeys, sealKeys }: OwnOptions,
  config: Config,
  callers: readonly CallerKey[],
): readonly string[] {
  const hasKeys = { hasApiKeys: apiKeys !== undefined, hasSealKeys: sealKeys !== undefined };
  return [
    ...SERVICE_RISKS.filter(({ applies }) => applies({ ...config, ...hasKeys }))
      .map(({ risk }) => risk((option) => option.replace(/File$/, ""))),
    ...(apiKeys === undefined ? [] : keyRisks(apiKeys.join("\n"), "apiKeys")),
    ...(guardKey === undefined ? [] : guardKeyRisks(guardKey, callers, "guardKey", "apiKeys")),
  ];
}

type StoreTextOption = Extract<OwnOption, `guardPassword` | `guardTls${string}`>;

interface StoreText {
  /** Its name among the texts of a store. */
  readonly file: keyof StoreFiles;
  readonly expected: string;
  /** Returns false, or throws, for a wrong text. */
  readonly isValid: (text: string) => boolean;
}

const isCertificate = (pem: string): boolean => new X509Certificate(pem) !== undefined;

const STORE_TEXTS: Readonly<Record<StoreTextOption, StoreText>> = {
  guardPassword: {
    file: "password",
    expected: "one line, the password",
    isValid: (text) => /^[^\r\n]+$/.test(text),
  },
  guardTlsCa: { file: "ca", expected: "certificates in PEM", isValid: isCertificate },
  guardTlsCert: { file: "cert", expected: "certificates in PEM", isValid: isCertificate },
  guardTlsKey: {
    file: "key",
    expected: "a private key in PEM",
    isValid: (pem) => createPrivateKey(pem) !== undefined,
  },
};

/**
 * Checks the texts for a store.
 *
 * @returns A function that reads them again; of one that cannot be read, it keeps the last text.
 * @throws {TypeError} When one cannot be used.
 */
function storeTexts(own: OwnOptions, { guard }: Config): CheckedOptions["readFiles"] {
  const given = (Object.keys(STORE_TEXTS) as StoreTextOption[])
    .filter((name) => own[name] !== undefined);
  if ((own.guardTlsCert === undefined) !== (own.guardTlsKey === undefined)) {
    throw new TypeError("guardTlsCert and guardTlsKey must be given together.");
  }
  if (own.guardPassword !== undefined && (guard === "memory" || guard.login().password)) {
    throw new TypeError("guardPassword needs a URL without a password in guard.");
  }
  const ofTls = given.find((name) => name !== "guardPassword");
  if (ofTls !== undefined && (guard === "memory" || !guard.isEncrypted)) {
    throw new TypeError(`${ofTls} needs a rediss:// URL in guard.`);
  }
  const last = new Map(given.map((name) => [name, readStoreText(name, own[name])]));
  return (onFailure) => {
    for (const name of given) {
      try {
        last.set(name, readStoreText(name, own[name]));
      } catch (error) {
        onFailure(name, error);
      }
    }
    return Object.fromEntries([...last].map(([name, text]) => [STORE_TEXTS[name].file, text]));
  };
}

function readStoreText(name: StoreTextOption, given: unknown): string {
  const { expected, isValid } = STORE_TEXTS[name];
  const text: unknown = typeof given === "function" ? given() : given;
  let isRight = false;
  try {
    isRight = typeof text === "string" && isValid(text);
  } catch {
    // The parser's error may quote the text.
  }
  if (!isRight) throw new TypeError(`${name} must be ${expected}, or a function that returns it.`);
  return text as string;
}
