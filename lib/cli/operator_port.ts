/**
 * Client of a running server's operator port (`--metrics-port`).
 *
 * @module
 */

import type { Config } from "../config/options.ts";
import { readKeys } from "../server/files/keys.ts";
import { hostPort } from "../server/runtime/runtime.ts";
import type { NamedSecret, UnlockedSecret } from "../http/operator_endpoints.ts";
import { printable } from "../system/foreign_text.ts";
import type { ServerStatus } from "../telemetry/status.ts";
import { connectAddress, send } from "./http_client.ts";
import type { NoReplyError } from "./http_reply.ts";
import { CommandError } from "./io/io.ts";
import { Redactor } from "./redactor.ts";

/** Operator port of a command without `--metrics-port`, which is that of the systemd unit. */
export const DEFAULT_OPERATOR_PORT = 9101;

/** Options with the address of the operator port and the API keys. */
export type OperatorPort = Pick<Config, "metricsHost" | "metricsPort" | "apiKeysFile">;

/** Error of an operator port at whose address no server answers. */
export class NoServerError extends CommandError {}

/**
 * Asks a server for its status.
 *
 * @throws {NoServerError} When no server answers.
 * @throws {CommandError} When it refuses.
 */
export async function askStatus(port: OperatorPort): Promise<ServerStatus> {
  return await requestJson(port, STATUS, "GET", "/status") as ServerStatus;
}

/**
 * Asks a server for the name of a secret in its log.
 *
 * @throws {CommandError} When no server answers, or it refuses.
 */
export async function askName(port: OperatorPort, secret: string): Promise<string> {
  return (await requestJson(port, NAMED, "POST", "/guard/name", secret) as NamedSecret).name;
}

/**
 * Ends the throttle of a secret by a server, whose log names it.
 *
 * @throws {CommandError} When no server answers, or it refuses.
 */
export async function askUnlock(port: OperatorPort, secret: string): Promise<UnlockedSecret> {
  return await requestJson(port, UNLOCKED, "POST", "/guard/unlock", secret) as UnlockedSecret;
}

type Check = (value: unknown) => boolean;

/** Checks of the members of a reply: while the server is down, its port may be another program's. */
type Form = Readonly<Record<string, Check>>;

const isText: Check = (value) => typeof value === "string";
const isName: Check = (value) => isText(value) && /^[\w-]{10}$/.test(value as string);
const isCount: Check = (value) => Number.isSafeInteger(value);
const listOf = (isItem: Check): Check => (value) => Array.isArray(value) && value.every(isItem);
const optional = (isValue: Check): Check => (value) => value === undefined || isValue(value);
const record = (form: Form): Check => (value) =>
  typeof value === "object" && value !== null &&
  Object.entries(form).every(([name, isMember]) =>
    isMember((value as Readonly<Record<string, unknown>>)[name])
  );

const NAMED: Form = { name: isName } satisfies Record<keyof NamedSecret, Check>;
const UNLOCKED: Form = {
  ...NAMED,
  remembered: (value) => typeof value === "boolean",
} satisfies Partial<Record<keyof UnlockedSecret, Check>>;
const STATUS: Form = {
  problems: listOf(isText),
  version: isText,
  since: isText,
  address: optional(isText),
  protections: listOf(isText),
  certificateUntil: optional(isText),
  keys: optional(listOf((key) => key === null || isText(key))),
  sealKeys: optional(listOf(isText)),
  secrets: optional(record({ "plain": isCount, "sealed": isCount, "older-key": isCount })),
  reload: optional(record({ at: isText, lines: listOf(isText) })),
  store: isText,
  guardKey: optional(isText),
  guard: optional(record({ entries: isCount, throttled: isCount })),
} satisfies Record<keyof ServerStatus, Check>;

function formed(form: Form, answer: string, redactor: Redactor, place: string): unknown {
  try {
    // Redact values, not their spelling: an escape of JSON hides a secret from the redactor.
    const reply: unknown = JSON.parse(
      answer,
      (_, value) => typeof value === "string" ? redactor.withoutSecrets(value) : value,
    );
    if (record(form)(reply)) return reply;
  } catch {
    // Refused below.
  }
  throw new CommandError(
    `what answers at ${place} is no operator port of this version of Authenticator: another ` +
      "program may have taken the port of a server that is down",
  );
}

async function requestJson(
  { metricsHost, metricsPort, apiKeysFile }: OperatorPort,
  form: Form,
  method: string,
  path: string,
  body?: string,
): Promise<unknown> {
  const host = connectAddress(metricsHost);
  const port = metricsPort || DEFAULT_OPERATOR_PORT;
  const place = hostPort({ hostname: host, port });
  const [caller] = apiKeysFile === undefined ? [] : readKeys(apiKeysFile);
  const headers = {
    "host": place,
    "content-type": "text/plain; charset=utf-8",
    ...(caller && { "x-api-key": caller.key }),
  };
  const { status, text } = await send({ host, port, method, path, headers, body })
    .catch((error: NoReplyError) => {
      if (error.kind !== "unreachable") {
        throw new CommandError(`the server at ${place} ${error.message}`);
      }
      throw new NoServerError(
        `no server answers at ${place}: start it with --metrics-port ${port} (a restart ends all ` +
          "waits in memory), or give the --metrics-port and --metrics-host of the server",
      );
    });
  const redactor = new Redactor([caller?.key ?? "", body ?? ""]);
  if (status === 200) return formed(form, text, redactor, place);
  if (status === 401) {
    throw new CommandError(
      caller === undefined
        ? `the server at ${place} wants an API key: give its --api-keys-file`
        : `the server at ${place} does not have the first key of --api-keys-file: give ` +
          "the file of the server, and reload or restart the server if that has changed",
    );
  }
  if (status === 404) {
    throw new CommandError(
      `${place} is no operator port: give the --metrics-port of the server`,
    );
  }
  const sentence = printable(redactor.withoutSecrets(text).trim().replace(/\.$/, ""));
  const reason = sentence === "" ? "" : `: ${sentence}`;
  throw new CommandError(`the server at ${place} answers with status ${status}${reason}`);
}
