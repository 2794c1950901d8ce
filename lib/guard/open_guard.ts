/**
 * Assembly of a guard from its rules, its naming functions and its store.
 *
 * @module
 */

import {
  fingerprintBy,
  guardKeyId,
  type HmacAlgorithm,
  MIN_GUARD_KEY_BYTES,
  sourceNamesBy,
} from "./fingerprint.ts";
import { type Guard, type GuardRules, guardRules, refusesNothing } from "./guard.ts";
import { type Evicted, MemoryStore } from "./memory_store.ts";
import { type ClientOptions, openStore, type StoreFiles } from "./redis/connect.ts";
import { findingText } from "./redis/findings.ts";
import { StoreLink } from "./redis/link.ts";
import { type StoreFinding, StoreMonitor } from "./redis/monitor.ts";
import { RedisStore } from "./redis/store.ts";
import type { StoreUrl } from "./redis/store_url.ts";

/** Settings of a guard. */
export interface GuardSettings {
  /** Wrong pins for a secret before throttling; 0 for no throttling. */
  readonly maxFailures: number;
  /** Whether a code is accepted once only (RFC 6238 §5.2). */
  readonly singleUse: boolean;
  /** Time steps accepted on each side of the current one. */
  readonly window: number;
  /** Seconds in a time step. */
  readonly period: number;
  /** The hash of the codes. */
  readonly algorithm: HmacAlgorithm;
  /** The store: the memory of this process, or the URL of a Redis, Sentinel or Cluster. */
  readonly guard: "memory" | StoreUrl;
  /** Maximum number of secrets in each table of a store in memory. */
  readonly guardEntries: number;
  /** The key of fingerprints, at least 32 random bytes; drawn by `randomBytes` unless given. */
  readonly guardKey?: Uint8Array | undefined;
  /** Source of random bytes for cryptography. */
  readonly randomBytes: (length: number) => Uint8Array;
  /** A monotonic clock in milliseconds. */
  readonly monotonicMs: () => number;
  /** The clock of this server in milliseconds, to compare with the store's; no comparison without. */
  readonly now?: (() => number) | undefined;
  /** Reads the texts of the files for a store; called for each connection. */
  readonly readFiles?: (() => StoreFiles) | undefined;
}

/** Observers of a guard. */
export interface GuardEvents {
  /** Called for each entry evicted from a full store in memory. */
  readonly onEviction?: (what: Evicted) => void;
  /** Called for each pin without a decision from the store. */
  readonly onStoreError?: () => void;
  /** Called when the store fails (once per reason) and, with undefined, when it recovers. */
  readonly onStoreChange?: (error: unknown) => void;
  /** Called when Sentinels name another primary, with both addresses. */
  readonly onStoreMove?: (from: string, to: string) => void;
  /** Called when no Sentinel answers, and with undefined when one does again. */
  readonly onWatchChange?: (error: unknown) => void;
  /** Called when a finding about a shared store begins, and with each count of evictions. */
  readonly onFinding?: (finding: StoreFinding) => void;
  /** Called when a finding ends. */
  readonly onFindingEnd?: (kind: "clock" | "keys") => void;
}

/**
 * Opens a guard.
 *
 * @returns undefined when the settings refuse no right pin: no throttling and no single use.
 * @throws {RangeError} When the key is too short.
 */
export function openGuard(settings: GuardSettings, events: GuardEvents = {}): Guard | undefined {
  const rules = guardRules(settings);
  if (refusesNothing(rules)) return undefined;
  const { guard, guardEntries: maxEntries, algorithm, monotonicMs } = settings;
  const key = settings.guardKey ?? settings.randomBytes(MIN_GUARD_KEY_BYTES);
  const fingerprint = fingerprintBy(key, algorithm);
  const names = { fingerprint, source: sourceNamesBy(fingerprint) };
  if (guard !== "memory") {
    return { ...names, ...redisStore(rules, guard, { ...settings, guardKey: key }, events) };
  }
  const onEviction = (what: Evicted): void => events.onEviction?.(what);
  const memory = new MemoryStore({ rules, monotonicMs, maxEntries, onEviction });
  return { ...names, store: memory, memory };
}

function redisStore(
  rules: GuardRules,
  url: StoreUrl,
  { monotonicMs, now, period, guardKey, readFiles = () => ({}) }:
    & GuardSettings
    & { readonly guardKey: Uint8Array },
  events: GuardEvents,
): Pick<Guard, "store" | "shared"> {
  const { promise: ready, resolve: markReady } = Promise.withResolvers<void>();
  const primary = primaryObserver(events);
  const link = new StoreLink({
    open: (onLoss) =>
      openStore(url, { readFiles, timeoutMs: url.timeoutMs, monotonicMs, onLoss, ...primary }),
    monotonicMs,
    onChange: (error) => {
      markReady();
      events.onStoreChange?.(error);
      if (error === undefined) void monitor.look();
    },
  });
  const monitor = new StoreMonitor({
    link,
    keyId: guardKeyId(guardKey),
    now,
    maxClockMs: period * 1000 / 3,
    onFinding: (finding) => events.onFinding?.(finding),
    onEnd: (kind) => events.onFindingEnd?.(kind),
  });
  const store = new RedisStore({
    rules,
    link,
    monotonicMs,
    onError: () => events.onStoreError?.(),
  });
  const shared = {
    ready,
    isHealthy: () => link.isHealthy,
    failing: () => link.failing,
    aheadMs: () => monitor.aheadMs,
    problems: (store: string) => [
      ...link.failing.map((clause) => `${store}, ${clause}`),
      ...monitor.findings.map((finding) => findingText(store, finding)),
    ],
    close: () => {
      monitor.close();
      link.close();
    },
  };
  return { store, shared };
}

// Compares what the clients of a store report one after the other.
function primaryObserver(
  { onStoreMove, onWatchChange }: GuardEvents,
): Required<Pick<ClientOptions, "onPrimary" | "onWatchOutage">> {
  let last: string | undefined;
  let isOut = false;
  const onWatchOutage = (error: unknown): void => {
    if (isOut === (error !== undefined)) return;
    isOut = !isOut;
    onWatchChange?.(error);
  };
  return {
    onWatchOutage,
    onPrimary: (host, port) => {
      onWatchOutage(undefined);
      const address = `${host}:${port}`;
      if (last !== undefined && last !== address) onStoreMove?.(last, address);
      last = address;
    },
  };
}
