/**
 * Monitor of a shared store: what its decisions do not show.
 *
 * @module
 */

import type { StoreLink } from "./link.ts";
import { isReply, KEY_PREFIX, readTimeMs, type Send } from "./script.ts";
import { NO_REPLY } from "./reasons.ts";

import keysScript from "./keys.lua" with { type: "text" };

/** Findings about a store, and of a server that uses it. */
export type StoreFinding =
  /** The clocks of this server and of the store are apart. */
  | { readonly kind: "clock"; readonly aheadMs: number }
  /** Another server uses the store with another guard key. */
  | { readonly kind: "keys" }
  /** The store evicts entries for want of memory. */
  | { readonly kind: "evictions"; readonly count: number }
  /** The store refuses to its user a command without which pins are decided all the same. */
  | { readonly kind: "refused"; readonly command: "INFO" | "DUMP" | "RESTORE" };

/** Options of a monitor. */
export interface StoreMonitorOptions {
  /** The link to the store. */
  readonly link: Pick<StoreLink, "each" | "run">;
  /** Id of the guard key, from which the key cannot be recovered. */
  readonly keyId: string;
  /** The clock of this server in milliseconds; undefined for no comparison. */
  readonly now: (() => number) | undefined;
  /** Difference of clocks from which on it is a finding, in milliseconds. */
  readonly maxClockMs: number;
  /** Called when a finding begins, and with each new count of evictions. */
  readonly onFinding: (finding: StoreFinding) => void;
  /** Called when a finding ends. */
  readonly onEnd: (kind: "clock" | "keys") => void;
}

/** Time between two looks at the store, in milliseconds. */
const LOOK_MS = 10_000;

/** Time after which another guard key that is not used any more is forgotten, in milliseconds. */
const FORGET_KEY_MS = 25_000;

/** Looks after the last eviction until the store no longer counts as full. */
const FULL_LOOKS = 6;

/** Key of the ids of the guard keys; no fingerprint is as short. */
export const KEY_IDS = `${KEY_PREFIX}keys`;

/** Look at one server of a store. */
interface Look {
  /** Time by which the clock of this server is ahead, beyond the round trip. */
  readonly aheadMs: number | undefined;
  /** Evictions since the start of the store; undefined when it does not tell. */
  readonly evicted: number | undefined;
}

/** Monitor, which looks at the store when it is connected, and every ten seconds. */
export class StoreMonitor {
  readonly #options: StoreMonitorOptions;
  readonly #evicted = new Map<string, number>();
  readonly #timer: ReturnType<typeof setInterval>;
  #isLooking = false;
  #isInfoRefused = false;
  /** Commands of decisions that do without them, until the store has answered each. */
  readonly #untried = new Map<"DUMP" | "RESTORE", readonly string[]>([
    ["DUMP", ["DUMP", KEY_IDS]],
    // The empty dump restores nothing.
    ["RESTORE", ["RESTORE", KEY_IDS, "0", ""]],
  ]);
  #aheadMs: number | undefined;
  #hasOtherKeys = false;
  #fullLooks = 0;

  /** Makes a monitor. */
  constructor(options: StoreMonitorOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
  }

  /** Ends the monitor. */
  close(): void {
    clearInterval(this.#timer);
  }

  /** Time by which this server's clock is ahead of the store's; undefined before the first look. */
  get aheadMs(): number | undefined {
    return this.#aheadMs;
  }

  /** Findings that have not ended; a store is full for a minute after its last eviction. */
  get findings(): readonly StoreFinding[] {
    const aheadMs = this.#aheadMs ?? 0;
    return [
      ...(this.#isClockApart ? [{ kind: "clock", aheadMs } as const] : []),
      ...(this.#hasOtherKeys ? [{ kind: "keys" } as const] : []),
      ...(this.#fullLooks > 0 ? [{ kind: "evictions", count: 0 } as const] : []),
    ];
  }

  get #isClockApart(): boolean {
    return Math.abs(this.#aheadMs ?? 0) > this.#options.maxClockMs;
  }

  /** Looks at the store once. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const { link, keyId } = this.#options;
      this.#judge(await link.each((send) => this.#lookAt(send)));
      if (this.#untried.size > 0) await link.run(KEY_IDS, (send) => this.#tryCommands(send));
      this.#judgeKeys(await link.run(KEY_IDS, (send) => countOtherKeys(send, keyId, true)));
    } catch {
      // The link logs the reason.
    } finally {
      this.#isLooking = false;
    }
  }

  async #lookAt(send: Send): Promise<Look> {
    const { now } = this.#options;
    const sentMs = now?.() ?? 0;
    const [storeMs, evicted] = await Promise.all([
      send(["TIME"]).then(readTimeMs).catch(unlessSilent),
      this.#isInfoRefused
        ? undefined
        : send(["INFO", "stats"]).then(readEvicted).catch((error: unknown) => {
          unlessSilent(error);
          if (isRefusal(error) && !this.#isInfoRefused) {
            this.#isInfoRefused = true;
            this.#options.onFinding({ kind: "refused", command: "INFO" });
          }
          return undefined;
        }),
    ]);
    if (now === undefined || storeMs === undefined) return { aheadMs: undefined, evicted };
    const aheadMs = Math.max(0, sentMs - storeMs) + Math.min(0, now() - storeMs);
    return { aheadMs, evicted };
  }

  // Decisions do without, and their replies do not say so.
  async #tryCommands(send: Send): Promise<void> {
    for (const [command, words] of this.#untried) {
      try {
        await send(words);
      } catch (error) {
        unlessSilent(error);
        if (isRefusal(error)) this.#options.onFinding({ kind: "refused", command });
        else if (!isReply(error, "ERR ") && !isReply(error, "BUSYKEY")) continue;
      }
      this.#untried.delete(command);
    }
  }

  #judge(looks: readonly (readonly [server: string, look: Look])[]): void {
    if (looks.length === 0) return;
    const wasApart = this.#isClockApart;
    const clocks = looks.flatMap(([, { aheadMs }]) => aheadMs === undefined ? [] : [aheadMs]);
    // An outage moves no clock.
    this.#aheadMs = clocks.toSorted((one, other) => Math.abs(other) - Math.abs(one))[0] ??
      this.#aheadMs;
    if (this.#isClockApart && !wasApart) {
      this.#options.onFinding({ kind: "clock", aheadMs: this.#aheadMs! });
    } else if (wasApart && !this.#isClockApart) this.#options.onEnd("clock");
    let count = 0;
    for (const [server, { evicted }] of looks) {
      if (evicted === undefined) continue;
      // A server that was restarted counts from zero.
      count += Math.max(0, evicted - (this.#evicted.get(server) ?? evicted));
      this.#evicted.set(server, evicted);
    }
    this.#fullLooks = count > 0 ? FULL_LOOKS : Math.max(0, this.#fullLooks - 1);
    if (count > 0) this.#options.onFinding({ kind: "evictions", count });
  }

  #judgeKeys(others: number): void {
    const hadOthers = this.#hasOtherKeys;
    this.#hasOtherKeys = others > 0;
    if (this.#hasOtherKeys && !hadOthers) this.#options.onFinding({ kind: "keys" });
    if (hadOthers && !this.#hasOtherKeys) this.#options.onEnd("keys");
  }
}

/**
 * Counts the other guard keys with which servers used a store in the last half minute.
 *
 * @param isServer Whether the own key is registered as in use.
 */
export async function countOtherKeys(
  send: Send,
  keyId: string,
  isServer: boolean,
): Promise<number> {
  const registers = isServer ? "1" : "0";
  const words = ["EVAL", keysScript, "1", KEY_IDS, keyId, String(FORGET_KEY_MS), registers];
  const count = await send(words);
  return typeof count === "number" ? count : 0;
}

function unlessSilent(error: unknown): undefined {
  if (isReply(error, NO_REPLY)) throw error;
}

/** Whether an error is the refusal of a command: for want of a permission, or as renamed or unknown. */
function isRefusal(error: unknown): boolean {
  return isReply(error, "NOPERM") || isReply(error, "ERR unknown command");
}

function readEvicted(reply: unknown): number | undefined {
  const [, count] = /^evicted_keys:(\d+)/m.exec(String(reply)) ?? [];
  return count === undefined ? undefined : Number(count);
}
