/**
 * Risks of a configuration and its environment, as sentences for the operator.
 *
 * @module
 */

import type { Config } from "../../config/options.ts";
import { flagOf, variableOf } from "../../config/option.ts";
import type { OptionSourceMap } from "../args/parse.ts";
import { isInTheClear, isLoopback } from "../../page/shared/address.ts";
import { MAX_ADVISABLE_WINDOW } from "../../otp/totp.ts";
import { refusesNothing } from "../../guard/guard.ts";
import type { Variable } from "../io/io.ts";

/**
 * Finds the risks of the options themselves.
 *
 * @param sources The source of each option, by name.
 */
export function optionRisks(
  config: Config,
  sources: OptionSourceMap,
): readonly string[] {
  return OPTION_RISKS.filter(({ applies }) => applies(config, sources)).map(({ risk }) => risk);
}

const OPTION_RISKS: readonly {
  readonly applies: (config: Config, sources: OptionSourceMap) => boolean;
  readonly risk: string;
}[] = [
  {
    applies: (config) => isReachable(config) && config.tlsCert === undefined && !config.trustProxy,
    risk:
      "pins and secrets cross the network in plain HTTP. Give --tls-cert and --tls-key, or put " +
      "a reverse proxy with TLS in front and give --trust-proxy.",
  },
  {
    applies: (config) => isReachable(config) && config.apiKeysFile === undefined,
    risk:
      "everybody who can reach the server can use it. Give --api-keys-file, or restrict access with a firewall or a reverse proxy.",
  },
  {
    applies: ({ metricsPort, metricsHost }) =>
      metricsPort !== undefined && !isLoopback(metricsHost),
    risk: "--metrics-port requires no API key, and other machines can reach it. Restrict access " +
      "with a firewall.",
  },
  {
    applies: ({ baseUrl }) => baseUrl !== undefined && isInTheClear(baseUrl),
    risk: "--base-url sends callers to plain HTTP.",
  },
  {
    // A trusted proxy forwards the host that browsers use.
    applies: ({ html, baseUrl, trustProxy }) =>
      html === "image" && baseUrl === undefined && !trustProxy,
    risk:
      "--html image without --base-url: the picture is at the host that the caller named, which " +
      "browsers of your users may not reach. Give --base-url.",
  },
  {
    applies: ({ html }) => html === "image",
    risk:
      "--html image puts the secret into the address of a picture, which proxies write into their logs.",
  },
  {
    applies: ({ window }) => window > MAX_ADVISABLE_WINDOW,
    risk: "--window is more than 2: every code is accepted for minutes, and guessing is that " +
      "much easier.",
  },
  {
    applies: ({ maxFailures }) => maxFailures === 0,
    risk: "--max-failures 0: pins can be guessed without limit.",
  },
  {
    applies: ({ maxFailures, sealKeysFile }) => maxFailures === 0 && sealKeysFile !== undefined,
    risk:
      "--seal-keys-file with --max-failures 0: a copy of sealed secrets and a way to the port " +
      "are enough to guess pins without limit.",
  },
  {
    applies: ({ maxFailures, apiKeysFile }) =>
      maxFailures > 0 && maxFailures < 4 && apiKeysFile !== undefined,
    risk:
      "--max-failures is below 4, and a caller with an API key has half of them for a secret: " +
      "one or two wrong pins make it wait.",
  },
  {
    applies: (config) => isBareGuard(config) && hasPassword(config),
    risk: "--guard sends its password over the network without TLS. Use rediss://.",
  },
  {
    applies: (config) => isBareGuard(config) && !hasPassword(config),
    risk: "--guard crosses the network without TLS: anyone in between can reset its " +
      "state. Use rediss://.",
  },
  {
    applies: (config, sources) => hasPassword(config) && sources.get("guard") === "flag",
    risk: "--guard has a password, and everybody on this machine can read command lines. Give " +
      `it as ${variableOf("guard")} in the environment.`,
  },
  {
    applies: (config) =>
      config.sharePort && config.socket === undefined && config.guard === "memory" &&
      !refusesNothing(config),
    risk: "--share-port without --guard: each server on the port remembers wrong pins and used " +
      "codes by itself. Give all of them one store.",
  },
  {
    applies: ({ sharePort, socket, metrics, metricsPort }) =>
      sharePort && socket === undefined && metrics && metricsPort === undefined,
    risk: "--metrics with --share-port: /metrics answers for any one of the servers on the port. " +
      "Give each of them a --metrics-port.",
  },
  {
    applies: ({ guard, guardKeyFile }) => guard !== "memory" && guardKeyFile === undefined,
    risk: "--guard without --guard-key-file: each server that shares the store counts wrong pins " +
      "separately, and from zero after a restart.",
  },
  {
    applies: (config, sources) => config.guard === "memory" && isGiven("guardKeyFile", sources),
    risk: "--guard-key-file without --guard: it keeps the names of secrets in the log, and wrong " +
      "pins are remembered by this process alone.",
  },
  {
    applies: ({ socket, socketMode }) => socket !== undefined && (socketMode & 0o002) !== 0,
    risk: "--socket-mode lets everybody on this machine use the socket.",
  },
  // --host is not listed, since the container image sets it.
  ...(["port", "sharePort"] as const).map((name) => ({
    applies: ({ socket }: Config, sources: OptionSourceMap) =>
      socket !== undefined && isGiven(name, sources),
    risk: `${flagOf(name)} has no effect with --socket.`,
  })),
  {
    applies: ({ socket }, sources) => socket === undefined && isGiven("socketMode", sources),
    risk: "--socket-mode has no effect without --socket.",
  },
  {
    applies: ({ metricsPort }, sources) =>
      metricsPort === undefined && isGiven("metricsHost", sources),
    risk: "--metrics-host has no effect without --metrics-port.",
  },
];

function isGiven(name: keyof Config, sources: OptionSourceMap): boolean {
  return (sources.get(name) ?? "default") !== "default";
}

/** Whether other machines can reach the server directly. */
function isReachable({ host, socket }: Config): boolean {
  return socket === undefined && !isLoopback(host);
}

/** Whether the connection to the store of the guard crosses a network without TLS. */
function isBareGuard({ guard }: Config): boolean {
  return guard !== "memory" && !guard.isEncrypted && !guard.authorities.every(isLoopback);
}

function hasPassword({ guard }: Config): boolean {
  return guard !== "memory" && guard.hasPassword;
}

/** Lines of a file of API keys with risks, by their numbers. */
export interface KeyLines {
  /** Lines with a colon but without a name. */
  readonly doubtful: readonly number[];
  /** Lines whose key is one character repeated. */
  readonly guessable: readonly number[];
}

/** Finds the risks of a file of API keys. */
export function keyRisks({ doubtful, guessable }: KeyLines): readonly string[] {
  const risk = (lines: readonly number[], clause: string): readonly string[] => {
    if (lines.length === 0) return [];
    const more = lines.length === 1 ? "" : ` (and ${lines.length - 1} more)`;
    return [`line ${lines[0]}${more} of the file of --api-keys-file ${clause}`];
  };
  return [
    ...risk(
      doubtful,
      "has a colon, and no name before it: the whole line is the key. A name begins with a letter, " +
        "and has only letters, digits, dots, hyphens and underscores.",
    ),
    ...risk(guessable, "has one character repeated as its key, which is easily guessed."),
  ];
}

/** Facts of the key of `--guard-key-file`. */
export interface GuardKeyFacts {
  /** True for one byte repeated. */
  readonly isOneCharacter: boolean;
  /** True for a key that is an API key too. */
  readonly isApiKey: boolean;
}

/** Finds the risks of the guard's key. */
export function guardKeyRisks({ isOneCharacter, isApiKey }: GuardKeyFacts): readonly string[] {
  const file = "the file of --guard-key-file";
  return [
    ...(isOneCharacter ? [`${file} has one character repeated, which is easily guessed.`] : []),
    ...(isApiKey ? [`${file} has a key of --api-keys-file, which callers have.`] : []),
  ];
}

/** Environment variable that changes the behaviour of the runtime. */
export interface WatchedVariable {
  /** The name. */
  readonly name: string;
  /** The effect, as a clause. */
  readonly risk: string;
  /** The values with the effect; by default, any value but the empty one. */
  readonly values?: RegExp;
}

/** Variables that change the runtime, tried on Deno 2.9.6 and Bun 1.4.5. */
export const WATCHED_VARIABLES: readonly WatchedVariable[] = [
  {
    name: "DENO_SERVE_ADDRESS",
    risk: "Deno listens there and ignores --host, --port and --socket",
  },
  {
    name: "OTEL_DENO",
    values: /^(?:1|true)$/i,
    risk: "Deno sends the address of every request, with the secrets of HTTP GET in it, to a " +
      "collector",
  },
  {
    name: "DENO_SERVE_AUTOMATIC_COMPRESSION",
    values: /^(?:1|true)$/i,
    risk: "Deno compresses replies, and their length then reveals something about a secret in them",
  },
  {
    name: "NODE_TLS_REJECT_UNAUTHORIZED",
    values: /^0$/,
    risk: "it is meant to switch off the check of certificates, and the one of the store is " +
      "checked all the same",
  },
  { name: "DENO_V8_FLAGS", risk: "it changes Deno's engine" },
  { name: "SSLKEYLOGFILE", risk: "Deno writes the keys of TLS connections to that file" },
  { name: "NODE_OPTIONS", risk: "Deno can load other code with it" },
  { name: "BUN_OPTIONS", risk: "Bun can load other code with it" },
  { name: "BUN_INSPECT_PRELOAD", risk: "Bun loads other code with it" },
];

/** Finds the risks of the environment, without the values of variables. */
export function variableRisks(
  variables: readonly (Variable & { readonly name: string })[],
): readonly string[] {
  const values = new Map(variables.map(({ name, value }) => [name, value ?? ""]));
  return WATCHED_VARIABLES
    .filter(({ name, values: risky = /./ }) => risky.test(values.get(name) ?? ""))
    .map(({ name, risk }) => `${name} is set in the environment: ${risk}.`);
}
