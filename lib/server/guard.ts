/**
 * The guard of secrets, put together from the options.
 *
 * @module
 */

import type { Config } from "../config/config.ts";
import { flagOf, OptionFileError } from "../config/option.ts";
import { MIN_GUARD_KEY_BYTES } from "../guard/fingerprint.ts";
import type { Guard } from "../guard/guard.ts";
import type { Evicted } from "../guard/memory_store.ts";
import { openGuard } from "../guard/open_guard.ts";
import type { StoreTls } from "../guard/redis/connect.ts";
import { clauseOf } from "../guard/redis/reasons.ts";
import type { Log } from "../telemetry/log.ts";
import type { GuardEvent } from "../telemetry/metrics.ts";
import { readOptionFile } from "./files/option_file.ts";
import { readStoreTls } from "./files/tls.ts";

/** Log and counters for the events of the guard. */
export interface GuardObserver {
  /** The log. */
  readonly log: Pick<Log, "info" | "warn">;
  /** Counts an event. */
  readonly count: (event: GuardEvent) => void;
}

/** How often the log says that there is no room. */
const EVICTION_WARNING_MS = 60_000;

/** Tab, line feed, carriage return, blank. */
const WHITE_SPACE: readonly number[] = [0x09, 0x0a, 0x0d, 0x20];

/**
 * Makes the guard that the options ask for.
 *
 * @returns undefined when every pin is to be looked at, and as often as it comes.
 * @throws {OptionFileError} When a file that it needs cannot be used.
 */
export function createGuard(config: Config, { log, count }: GuardObserver): Guard | undefined {
  // Before anything else: a file that cannot be used is refused by every command alike.
  const { guard, guardKeyFile } = config;
  const guardKey = guardKeyFile === undefined ? undefined : readGuardKey(guardKeyFile);
  const readTls = guard === "memory" ? undefined : latestTls(config);
  return openGuard({ ...config, guardKey, readTls, now: () => performance.now() }, {
    onEviction: evictionObserver(config, { log, count }),
    onStoreError: () => count("store-error"),
    onStoreChange: (error) => {
      if (error === undefined) log.info(`the store of the guard, ${guard}, answers`);
      else {log.warn(
          `the store of the guard, ${guard}, ${clauseOf(error)}: pins that need it are refused`,
        );}
    },
  });
}

/** What programs on Windows put in front of text (UTF-8). */
const BYTE_ORDER_MARK: readonly number[] = [0xEF, 0xBB, 0xBF];

/**
 * Reads the key of fingerprints: the bytes of a file, without a byte order mark before them and white
 * space behind them where it is long enough without, since editors put one there and `echo` the other.
 *
 * @throws {OptionFileError} When it cannot be read, or is too short.
 */
export function readGuardKey(path: string): Uint8Array {
  const all = readOptionFile("guardKeyFile", path);
  const isMarked = BYTE_ORDER_MARK.every((byte, i) => byte === all[i]) &&
    all.length >= BYTE_ORDER_MARK.length + MIN_GUARD_KEY_BYTES;
  const bytes = all.subarray(isMarked ? BYTE_ORDER_MARK.length : 0);
  let { length } = bytes;
  while (length > MIN_GUARD_KEY_BYTES && WHITE_SPACE.includes(bytes[length - 1]!)) length--;
  if (length < MIN_GUARD_KEY_BYTES) {
    throw new OptionFileError(
      `the file of ${
        flagOf("guardKeyFile")
      } must hold a key of ${MIN_GUARD_KEY_BYTES} random bytes or more, ` +
        `or their text: it holds ${length} ${length === 1 ? "byte" : "bytes"}`,
    );
  }
  // A copy: what was read has room for the longest file.
  return Uint8Array.from(bytes.subarray(0, length));
}

function evictionObserver(
  { guardEntries }: Config,
  { log, count }: GuardObserver,
): (what: Evicted) => void {
  let warnedMs = -Infinity;
  return (what) => {
    count(`evicted-${what}`);
    const nowMs = performance.now();
    if (nowMs - warnedMs < EVICTION_WARNING_MS) return;
    warnedMs = nowMs;
    log.warn(
      `the guard is full: it remembers ${guardEntries} secrets (${flagOf("guardEntries")}), and ` +
        "forgets those with the fewest wrong pins",
    );
  };
}

// Certificates are renewed while a server runs, so the files are read for each connection. Where
// they cannot be used, for instance because they are being written, those read last are.
function latestTls(config: Config): () => StoreTls {
  let last = readStoreTls(config);
  return () => {
    try {
      last = readStoreTls(config);
    } catch (error) {
      if (!(error instanceof OptionFileError)) throw error;
    }
    return last;
  };
}
