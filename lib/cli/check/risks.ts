/**
 * Risks of a configuration and its environment, as sentences for the operator.
 *
 * @module
 */

import type { Config } from "../../config/options.ts";
import { flagOf, variableOf } from "../../config/option.ts";
import type { OptionSourceMap } from "../args/parse.ts";
import { hasPassword, SERVICE_RISKS } from "../../config/risks.ts";
import { isLoopback } from "../../page/shared/address.ts";
import { refusesNothing } from "../../guard/guard.ts";

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
  ...SERVICE_RISKS.map(({ applies, risk }) => ({
    applies: (config: Config) =>
      applies({
        ...config,
        hasApiKeys: config.apiKeysFile !== undefined,
        hasSealKeys: config.sealKeysFile !== undefined,
      }),
    risk: risk(flagOf),
  })),
  {
    applies: ({ guard }, sources) => hasPassword(guard) && sources.get("guard") === "flag",
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

/**
 * Variables that change the runtime, each with its effect as a clause, and with the values that have it:
 * by default, any value but the empty one. Tried on Deno 2.9.6 and Bun 1.4.5.
 */
const WATCHED_VARIABLES: readonly {
  readonly name: string;
  readonly risk: string;
  readonly values?: RegExp;
}[] = [
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

/**
 * Finds the risks of the environment, without the values of variables.
 *
 * @param env Returns the value of an environment variable, or undefined.
 */
export function variableRisks(env: (name: string) => string | undefined): readonly string[] {
  return WATCHED_VARIABLES.filter(({ name, values = /./ }) => values.test(env(name) ?? ""))
    .map(({ name, risk }) => `${name} is set in the environment: ${risk}.`);
}
