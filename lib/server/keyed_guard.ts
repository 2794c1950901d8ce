/**
 * Assembly of the guard from the options.
 *
 * @module
 */

import type { Config } from "../config/options.ts";
import { OptionFileError } from "../config/option.ts";
import { MIN_GUARD_KEY_BYTES } from "../guard/fingerprint.ts";
import type { Guard } from "../guard/guard.ts";
import { type GuardEvents, openGuard } from "../guard/open_guard.ts";
import type { StoreFiles } from "../guard/redis/connect.ts";
import { findingText } from "../guard/redis/findings.ts";
import { storeClause } from "../guard/redis/reasons.ts";
import { keyNameOf } from "../system/key_file.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { readOptionFile } from "./files/option_file.ts";
import { readStoreFiles } from "./files/tls.ts";

/** Observer of the guard, its log and its counters, with the clock and the random bytes it needs. */
export interface GuardObserver {
  /** The log. */
  readonly log: Pick<Log, "info" | "warn">;
  /** The counters; undefined without metrics. */
  readonly metrics?: Pick<Metrics, "countEvicted" | "countStoreError"> | undefined;
  /** Returns the time in milliseconds since any fixed moment, by a monotonic clock. */
  readonly monotonicMs: () => number;
  /** Returns the time in milliseconds since 1970-01-01T00:00:00Z. */
  readonly now?: () => number;
  /** Source of random bytes for cryptography. */
  readonly randomBytes: (length: number) => Uint8Array;
}

/** Least time between two warnings about a full guard. */
const EVICTION_WARNING_MS = 60_000;

/** Tab, line feed, carriage return, blank. */
const WHITE_SPACE: readonly number[] = [0x09, 0x0a, 0x0d, 0x20];

/** Guard of a server. */
export interface KeyedGuard extends Guard {
  /** Name of the key of its file, to compare servers by; undefined without a file. */
  readonly keyName: string | undefined;
}

/**
 * Makes the guard of the options.
 *
 * @returns The guard with the name of its key; undefined when the options refuse no right pin: no
 * throttling and no single use.
 * @throws {OptionFileError} When a file of the options cannot be used.
 */
export function createGuard(config: Config, observer: GuardObserver): KeyedGuard | undefined {
  const { metrics, monotonicMs, now, randomBytes } = observer;
  // Read the file even if the guard needs no key: all commands must refuse an unusable file.
  const { guard, guardKeyFile } = config;
  const guardKey = guardKeyFile === undefined ? undefined : readGuardKey(guardKeyFile);
  const readFiles = guard === "memory" ? undefined : latestFiles(config);
  const store = `the store of the guard, ${guard},`;
  const settings = { ...config, guardKey, readFiles, randomBytes, monotonicMs, now };
  const warnOfEviction = evictionWarner(observer);
  const opened = openGuard(settings, {
    onEviction: (what) => {
      metrics?.countEvicted(what);
      warnOfEviction(
        `the guard is full: it remembers ${config.guardEntries} secrets (--guard-entries), and ` +
          "forgets those with the fewest wrong pins",
      );
    },
    ...storeObserver(store, observer),
  });
  return opened && { ...opened, keyName: guardKey && keyNameOf(guardKey) };
}

/**
 * Observer of a store, which logs and counts what happens to it.
 *
 * @param store The store, as a subject with a comma behind it.
 */
export function storeObserver(
  store: string,
  observer: GuardObserver,
): Required<Omit<GuardEvents, "onEviction">> {
  const { log, metrics } = observer;
  const warn = evictionWarner(observer);
  return {
    onStoreError: () => metrics?.countStoreError(),
    onStoreChange: (error) => {
      if (error === undefined) log.info(`${store} answers`);
      else log.warn(`${store} ${storeClause(error)}: pins that need it are refused`);
    },
    onStoreMove: (from, to) => log.info(`${store} moved from ${from} to ${to}`),
    onWatchChange: (error) => {
      if (error === undefined) log.info(`${store} is watched again by its Sentinels`);
      else log.warn(`${store} is not watched: ${storeClause(error)}; a failover is noticed late`);
    },
    onFinding: (finding) => {
      if (finding.kind !== "evictions") return log.warn(findingText(store, finding));
      metrics?.countEvicted("store", finding.count);
      warn(findingText(store, finding));
    },
    onFindingEnd: (kind) =>
      log.info(
        kind === "keys"
          ? `${store} has no server with another guard key any more`
          : `the clock agrees with that of ${store.slice(0, -1)} again`,
      ),
  };
}

/** Problems of a guard for the status of a server, as clauses. */
export function guardProblems(guard: Guard | undefined): readonly string[] {
  const store = guard?.shared;
  if (store === undefined) return [];
  const name = "the store of the guard";
  return store.isHealthy() ? store.problems(name) : [`${name} does not answer`];
}

/** The byte order mark of UTF-8, which programs on Windows write. */
const BYTE_ORDER_MARK: readonly number[] = [0xEF, 0xBB, 0xBF];

/**
 * Reads the key of fingerprints from a file. A leading byte order mark (from editors) and trailing
 * white space (from `echo`) are dropped if the rest is long enough.
 *
 * @throws {OptionFileError} When the file cannot be read or is too short.
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
      `the file of --guard-key-file must hold a key of ${MIN_GUARD_KEY_BYTES} random bytes or more, ` +
        `or their text: it holds ${length} ${length === 1 ? "byte" : "bytes"}`,
    );
  }
  // A copy, since the buffer of the file can be much larger.
  return Uint8Array.from(bytes.subarray(0, length));
}

function evictionWarner({ log, monotonicMs }: GuardObserver): (message: string) => void {
  let warnedMs = -Infinity;
  return (message) => {
    const nowMs = monotonicMs();
    if (nowMs - warnedMs < EVICTION_WARNING_MS) return;
    warnedMs = nowMs;
    log.warn(message);
  };
}

/**
 * Reader of the store's files for each connection, since certificates are renewed while a server runs.
 * If they are unusable, for instance during a write, it returns the last good ones.
 *
 * @throws {OptionFileError} When they cannot be used now.
 */
export function latestFiles(config: Config): () => StoreFiles {
  let last = readStoreFiles(config);
  return () => {
    try {
      last = readStoreFiles(config);
    } catch (error) {
      if (!(error instanceof OptionFileError)) throw error;
    }
    return last;
  };
}
