/**
 * Risks of the options that the server and the library have, and of their keys, as sentences.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { CallerKey } from "../http/api_keys.ts";
import { MAX_ADVISABLE_WINDOW } from "../otp/totp.ts";
import { isInTheClear, isLoopback } from "../page/shared/address.ts";
import { isOneCharacter, type KeyLine, keyLines } from "../system/key_file.ts";
import type { Config } from "./options.ts";

/** Options of a service, and which keys it has. */
export interface RiskyConfig extends Config {
  /** Whether callers need an API key. */
  readonly hasApiKeys: boolean;
  /** Whether secrets can be sealed. */
  readonly hasSealKeys: boolean;
}

/** A risk of the options. */
export interface ServiceRisk {
  /** Whether the options have it. */
  readonly applies: (config: RiskyConfig) => boolean;
  /** Writes it with the names that options have for the reader, for instance flags. */
  readonly risk: (name: (option: keyof Config) => string) => string;
}

/** Risks of the options of a service. */
export const SERVICE_RISKS: readonly ServiceRisk[] = [
  {
    applies: ({ baseUrl }) => baseUrl !== undefined && isInTheClear(baseUrl),
    risk: (name) => `${name("baseUrl")} sends callers to plain HTTP.`,
  },
  {
    // A trusted proxy forwards the host that browsers use.
    applies: ({ html, baseUrl, trustProxy }) =>
      html === "image" && baseUrl === undefined && !trustProxy,
    risk: (name) =>
      `${name("html")} image without ${name("baseUrl")}: the picture is at the host that the ` +
      `caller named, which browsers of your users may not reach. Give ${name("baseUrl")}.`,
  },
  {
    applies: ({ html }) => html === "image",
    risk: (name) =>
      `${name("html")} image puts the secret into the address of a picture, which proxies write ` +
      "into their logs.",
  },
  {
    applies: ({ window }) => window > MAX_ADVISABLE_WINDOW,
    risk: (name) =>
      `${name("window")} is more than 2: every code is accepted for minutes, and ` +
      "guessing is that much easier.",
  },
  {
    applies: ({ maxFailures }) => maxFailures === 0,
    risk: (name) => `${name("maxFailures")} 0: pins can be guessed without limit.`,
  },
  {
    applies: ({ maxFailures, hasSealKeys }) => maxFailures === 0 && hasSealKeys,
    risk: (name) =>
      `${name("sealKeysFile")} with ${name("maxFailures")} 0: a copy of sealed secrets and a way ` +
      "to the port are enough to guess pins without limit.",
  },
  {
    applies: ({ maxFailures, hasApiKeys }) => maxFailures > 0 && maxFailures < 4 && hasApiKeys,
    risk: (name) =>
      `${name("maxFailures")} is below 4, and a caller with an API key has half of them for a ` +
      "secret: one or two wrong pins make it wait.",
  },
  {
    applies: ({ guard }) => isBare(guard) && hasPassword(guard),
    risk: (name) =>
      `${name("guard")} sends its password over the network without TLS. Use rediss://.`,
  },
  {
    applies: ({ guard }) => isBare(guard) && !hasPassword(guard),
    risk: (name) =>
      `${name("guard")} crosses the network without TLS: anyone in between can reset its state. ` +
      "Use rediss://.",
  },
];

/** Whether the connection to the store of the guard crosses a network without TLS. */
function isBare(guard: Config["guard"]): boolean {
  return guard !== "memory" && !guard.isEncrypted &&
    !guard.addresses.every(({ host }) => isLoopback(host));
}

/** Whether the URL of the guard's store has a password. */
export function hasPassword(guard: Config["guard"]): boolean {
  return guard !== "memory" && guard.hasPassword;
}

/**
 * Finds the risks of API keys.
 *
 * @param text The lines of the keys.
 * @param place The place of the lines, for instance the file of an option.
 * @throws {KeyFileError} When a name is too long, or there are no keys.
 */
export function keyRisks(text: string, place: string): readonly string[] {
  const lines = keyLines(text);
  const risk = ([first, ...more]: readonly KeyLine[], clause: string): readonly string[] => {
    if (first === undefined) return [];
    const others = more.length === 0 ? "" : ` (and ${more.length} more)`;
    return [`line ${first.number}${others} of ${place} ${clause}`];
  };
  return [
    // The text before the colon may have been meant as a name.
    ...risk(
      lines.filter(({ line, name }) => name === undefined && line.includes(":")),
      "has a colon, and no name before it: the whole line is the key. A name begins with a letter, " +
        "and has only letters, digits, dots, hyphens and underscores.",
    ),
    ...risk(
      lines.filter(({ key }) => isOneCharacter(key)),
      "has one character repeated as its key, which is easily guessed.",
    ),
  ];
}

/**
 * Finds the risks of the guard's key.
 *
 * @param callerKeys The API keys.
 * @param place The place of the key, for instance the file of an option.
 * @param callers The place of the API keys.
 */
export function guardKeyRisks(
  guardKey: Uint8Array,
  callerKeys: readonly CallerKey[],
  place: string,
  callers: string,
): readonly string[] {
  const text = Buffer.from(guardKey).toString("latin1");
  return [
    ...(isOneCharacter(text)
      ? [`${place} has one character repeated, which is easily guessed.`]
      : []),
    ...(callerKeys.some(({ key }) => key === text)
      ? [`${place} has a key of ${callers}, which callers have.`]
      : []),
  ];
}
