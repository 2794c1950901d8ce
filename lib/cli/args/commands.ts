/**
 * Table of the commands, from which the parser, the help and the manual page are derived.
 *
 * @module
 */

import type { Config } from "../../config/options.ts";
import {
  type DefaultedKind,
  namesOf,
  type Option,
  type Parsed,
  type ValuesOf,
} from "../../config/option.ts";
import { OPTIONS } from "../../config/options.ts";
import { optionalFile, optionalText, SWITCH } from "../../config/values.ts";

const TEXT = optionalText("a text");
const FILE = { placeholder: "FILE", ...TEXT };

/** Name of the option that names the file of options. It is none of the service itself. */
export const CONFIG_OPTION = "config";

/** Row of the option that names the file of options. */
export const CONFIG_ROW: Option<string | undefined> = {
  description: "File of options, a line AUTHENTICATOR_NAME=value for each",
  ...optionalFile("secret"),
};

const SECRET_FILE: Option<string | undefined> = {
  description: "File with the secret, instead of standard input",
  ...FILE,
};

const SEAL_OPTIONS = {
  csv: { description: "Read records of CSV, whose last field is the secret", ...SWITCH },
  check: { description: "Write nothing, and fail if a secret would be changed", ...SWITCH },
};

// A time without a zone is refused: the phone or log of the user may be in another zone.
const NO_ZONE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]+)?$/;
const WITH_ZONE = "a time with its zone: 2026-01-31T12:00:00Z for UTC, or +01:00 in place of Z";

const TIME: DefaultedKind<number | undefined> = {
  placeholder: "TIME",
  defaultText: "",
  expected: "a time as 2026-01-31T12:00:00Z, or seconds since 1970",
  parse: parseTime,
};

/** Command of the program. */
export interface CommandRow {
  /** A summary: a clause that begins with a capital letter and has no full stop. */
  readonly summary: string;
  /** Details in whole sentences. */
  readonly details: string;
  /** The command's own options, without variables, since they concern a single run. */
  readonly options: Readonly<Record<string, Option<unknown>>>;
  /**
   * The options of the service with an effect on the command. A command with any of them accepts
   * all, so that the options of a server can be given unchanged.
   */
  readonly uses: readonly (keyof Config)[];
  /** Placeholders of the operands; brackets enclose one that can be left out. */
  readonly operands?: readonly string[];
  /** Example command lines. */
  readonly examples: readonly string[];
}

const SECRET: readonly (keyof Config)[] = ["secretEncoding", "sealKeysFile"];
const CODE: readonly (keyof Config)[] = ["algorithm", "digits", "period", "secretEncoding"];
const OPERATOR: readonly (keyof Config)[] = ["metricsPort", "metricsHost", "apiKeysFile"];
const STORE: readonly (keyof Config)[] = [
  "guard",
  "guardKeyFile",
  "guardPasswordFile",
  "guardTlsCa",
  "guardTlsCert",
  "guardTlsKey",
];

const TABLE = {
  serve: {
    summary: "Serve until you stop it; the default command",
    details: "Serves until SIGINT or SIGTERM, and then lets running requests finish. Another " +
      "signal, half a second later, ends it at once. On SIGHUP, it reads the TLS certificate and " +
      "the files of keys again; if standard input is a terminal, it ends. A flag wins over a " +
      "variable, a variable over a line of the file of options.",
    options: {},
    uses: namesOf(OPTIONS),
    examples: [
      "authenticator --port 9000",
      "authenticator --host 0.0.0.0 --base-url https://pin.example.com --window 2",
    ],
  },
  pair: {
    summary: "Show a QR code for a secret from standard input",
    details: "Prints what an authenticator app needs: the setup key and the QR code. " +
      "--app-name and --app-info are required. A secret that you type at a terminal is not shown.",
    options: {
      appName: {
        placeholder: "TEXT",
        description: "The application, as the app shows it",
        ...TEXT,
      },
      appInfo: { placeholder: "TEXT", description: "The account, as the app shows it", ...TEXT },
      secretFile: SECRET_FILE,
      newSecret: { description: "Make a random secret of 160 bits and print it", ...SWITCH },
      svg: { description: "Write the QR code as SVG too", ...FILE },
      png: { description: "Write the QR code as PNG too", ...FILE },
    },
    uses: CODE,
    examples: [
      "authenticator pair --app-name Example --app-info jane --new-secret",
      "authenticator pair --app-name Example --app-info jane --png jane.png < secret.txt",
    ],
  },
  code: {
    summary: "Print the current code of a secret from standard input, as an app would",
    details: "Prints the code, and on standard error how many seconds remain until the next one. " +
      "Use it in tests, or when you have no phone.",
    options: {
      secretFile: SECRET_FILE,
      at: { description: "Time of the code, if not now", ...TIME },
    },
    uses: CODE,
    examples: ["authenticator code < secret.txt"],
  },
  seal: {
    summary: "Seal a secret from standard input, or those of a table, for your database",
    details:
      "Prints the sealed secret. A secret that is sealed with the first key stays as it is; " +
      "one of another key is sealed anew. With --csv, it reads records of two or more fields " +
      "(RFC 4180, UTF-8) up to a last line `end`, and writes for each the new value, the other " +
      "fields, and the SHA-256 of the old value, and last a record whose only text is `end`. The " +
      "first record that is wrong ends it, with its number and exit code 1.",
    options: SEAL_OPTIONS,
    uses: SECRET,
    examples: [
      "authenticator seal --seal-keys-file seal-keys < secret.txt",
      "authenticator seal --seal-keys-file seal-keys --csv --check < export.csv",
    ],
  },
  unseal: {
    summary: "Open a sealed secret from standard input, or those of a table",
    details:
      "The way back from seal, with the same options. A secret that is not sealed stays as " +
      "it is. The output is as secret as the keys.",
    options: SEAL_OPTIONS,
    uses: SECRET,
    examples: ["authenticator unseal --seal-keys-file seal-keys < sealed.txt"],
  },
  keygen: {
    summary: "Make a key: of seals, of a caller (api), or of the guard",
    details:
      "KIND is seal, api or guard. With seal, a line with a new key becomes the last of FILE; " +
      "NAME is made from the key unless given. With api, the key is for the caller NAME, and is " +
      "printed once. With guard, FILE must not exist. A new file is readable by you alone; one " +
      "that exists keeps its owner, mode and links, and its lines. Run it as yourself: under " +
      "authenticator-as-service, no file can be written.",
    options: {},
    uses: [],
    operands: ["KIND", "FILE", "[NAME]"],
    examples: [
      "authenticator keygen seal seal-keys",
      "authenticator keygen api api-keys billing",
      "authenticator keygen guard guard.key",
    ],
  },
  doctor: {
    summary: "Say why a pin fails; pin and secret on two lines of standard input",
    details: "Give it the options of the server. It says what the server answers, and why a " +
      "pin is wrong. With --metrics-port, it asks the server for the name of the secret in its " +
      "log. It prints neither pin nor secret. The exit code is 0 when the server accepts the pin.",
    options: { at: { description: "Time when the pin was typed, if not now", ...TIME } },
    uses: [
      ...CODE,
      ...["sealKeysFile", "window", "maxFailures", "singleUse"] as const,
      ...STORE,
      ...OPERATOR,
    ],
    examples: [
      "printf '%s\\n' 123456 'the secret' | authenticator doctor --at 2026-01-31T12:00:00Z",
    ],
  },
  compare: {
    summary: "Ask a service and this program the same questions, and say what differs",
    details:
      "Give it the options of the server, and the URL of the hosted service, or of the server that " +
      "callers reach. Only this command connects to an address that no option names. It sends " +
      "random test secrets, 60 requests at most, and no API key without " +
      "--send-key. The exit code is 0 when the answers are the same, but for those of the hosted " +
      "service that no option restores, and 1 when an option or anything else differs.",
    options: {
      sendKey: {
        description: "Send the first API key to the URL, over https or on this machine",
        ...SWITCH,
      },
      ca: { description: "CA certificates (PEM) to trust beside the runtime's", ...FILE },
    },
    operands: ["URL"],
    uses: [
      ...CODE,
      ...[
        "window",
        "singleUse",
        "html",
        "namespace",
        "baseUrl",
        "trustProxy",
        "apiKeysFile",
        "sealKeysFile",
      ] as const,
    ],
    examples: [
      "authenticator compare http://authenticatorapi.com --window 10 --html image",
      "authenticator compare https://pins.example.com",
    ],
  },
  healthcheck: {
    summary: "Ask the running server whether it is healthy",
    details:
      "Asks /healthz at the address that the options give, on the operator port where there " +
      "is one. The exit code is 0 when the server answers that it is healthy.",
    options: {},
    uses: ["host", "port", "socket", "tlsCert", "tlsKey", "metricsPort", "metricsHost"],
    examples: ["authenticator healthcheck --port 9000"],
  },
  check: {
    summary: "Show the options in effect and what is risky in them",
    details: "Prints every option with its value and its source, and warns of risky settings. " +
      "It reads the files, asks the store and tries the address. The exit code is 1 when " +
      "only the store cannot be used, and 2 when an option, a file or the address cannot be.",
    options: {
      unit: {
        description: "Check as root the files and drop-ins of this unit of systemd, and no more",
        placeholder: "UNIT",
        ...TEXT,
      },
    },
    uses: namesOf(OPTIONS),
    examples: ["authenticator check --host 0.0.0.0"],
  },
  status: {
    summary: "Show how the running server stands",
    details:
      "Give it the options of the server, which it asks at its --metrics-port, 9101 unless given. " +
      "It shows version, start, address, certificate, names of keys, last reload and guard; " +
      "with a shared store, also the secrets with the most wrong pins. The exit code is 0 when " +
      "the server is healthy, 1 when it is not, and 2 without an operator port.",
    options: {},
    uses: [...OPERATOR, ...STORE, "maxFailures", "window", "period"],
    examples: ["authenticator status --metrics-port 9101"],
  },
  "guard unlock": {
    summary: "End the throttling of a secret from standard input",
    details:
      "Give it the options of the server. All servers check pins for the secret again within " +
      "a second. A used code stays used. It says so if nothing was remembered of the secret.",
    options: {},
    uses: [...STORE, "algorithm", ...SECRET, ...OPERATOR],
    examples: ["authenticator guard unlock --metrics-port 9101 < secret.txt"],
  },
  "guard name": {
    summary: "Print the name that a secret has in the log",
    details:
      "Prints the name that the log has after secret= when a pin was not accepted. The secret " +
      "comes from standard input. With --csv, it writes the name of each record's secret, and its " +
      "other fields.",
    options: { csv: SEAL_OPTIONS.csv },
    uses: [...STORE, "algorithm", ...SECRET, ...OPERATOR],
    examples: [
      "authenticator guard name --guard-key-file guard.key < secret.txt",
      "authenticator guard name --csv --guard-key-file guard.key < export.csv",
    ],
  },
  licenses: {
    summary: "Print the licences of the program and its parts",
    details: "The parts are its packages and its runtime.",
    options: {},
    uses: [],
    examples: ["authenticator licenses"],
  },
  help: {
    summary: "Show help, or the help of one command (also -h)",
    details: "The same as --help after a command.",
    options: {},
    uses: [],
    operands: ["[COMMAND]"],
    examples: ["authenticator help pair"],
  },
  version: {
    summary: "Show version, commit, runtime and target (also -V)",
    details: "The same as --version.",
    options: {},
    uses: [],
    examples: ["authenticator version"],
  },
} satisfies Readonly<Record<string, CommandRow>>;

/**
 * Name of a command.
 *
 * @internal
 */
export type CommandName = keyof typeof TABLE;

/**
 * Values of a command's own options.
 *
 * @internal
 */
export type OptionsOf<Name extends CommandName> = ValuesOf<typeof TABLE[Name]["options"]>;

/**
 * Commands by name, of one or two words. The first is the default.
 */
export const COMMANDS: ReadonlyMap<string, CommandRow> = new Map(Object.entries(TABLE));

/** Returns the names of two words with this first word. */
export function commandsOf(first: string): readonly string[] {
  return [...COMMANDS.keys()].filter((name) => name.startsWith(`${first} `));
}

/** Returns the options of a command by name: its own, and the service's. */
export function optionsOf({ options, uses }: CommandRow): Readonly<
  Record<string, Option<unknown>>
> {
  return uses.length === 0 ? options : { [CONFIG_OPTION]: CONFIG_ROW, ...OPTIONS, ...options };
}

function parseTime(text: string): Parsed<number | undefined> {
  if (text === "") return { value: undefined };
  if (NO_ZONE.test(text)) return WITH_ZONE;
  const ms = /^[0-9]{1,11}$/.test(text)
    ? Number(text) * 1000
    : /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[+-][0-9]{2}:[0-9]{2})$/.test(text) && hasDay(text)
    ? Date.parse(text)
    : NaN;
  // No time steps exist before 1970.
  return ms >= 0 ? { value: ms } : undefined;
}

// Whether the day of a date exists: Date.parse reads 30 February as 2 March.
function hasDay(text: string): boolean {
  const day = text.slice(0, 10);
  return new Date(day).toJSON()?.startsWith(day) ?? false;
}
