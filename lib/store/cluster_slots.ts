/**
 * Which node of a Redis Cluster keeps which key.
 *
 * @module
 */

import type { RedisClient } from "../connection/redis_client.ts";
import { ProtocolError } from "../connection/store_failure.ts";
import { isAddress } from "../connection/store_url.ts";

/** How many slots there are. */
export const SLOTS = 16_384;

/**
 * How many primaries there may be, and other nodes that questions are sent on to: as many as Redis
 * recommends. What claims to have more is no Cluster that anybody runs, and would take all connections
 * that this process may open.
 */
export const MAX_NODES = 1000;

/**
 * The slot of a key without braces: CRC-16/XMODEM of its bytes, modulo the number of slots.
 * https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#key-distribution-model
 */
export function slotOf(key: string): number {
  let crc = 0;
  for (const byte of new TextEncoder().encode(key)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) {
      crc = (crc & 0x8000) === 0 ? crc << 1 : crc << 1 ^ 0x1021;
    }
  }
  return (crc & 0xffff) % SLOTS;
}

/**
 * Keys that begin with a prefix, by their slots. What was tried is kept: to find a key for each slot
 * takes a tenth of a second, which is not to be spent again for every node.
 */
export class SlotKeys {
  readonly #prefix: string;
  readonly #keys: (string | undefined)[] = new Array(SLOTS).fill(undefined);
  #tried = 0;

  /** Begins with no key. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /**
   * A key whose slot is one of some.
   *
   * @param isWanted Tells of a slot whether it is one of them.
   * @returns undefined when none is.
   */
  find(isWanted: (slot: number) => boolean): string | undefined {
    let isAnyWanted = false;
    for (const [slot, key] of this.#keys.entries()) {
      if (!isWanted(slot)) continue;
      if (key !== undefined) return key;
      isAnyWanted = true;
    }
    while (isAnyWanted) {
      const key = `${this.#prefix}${this.#tried++}`;
      const slot = slotOf(key);
      this.#keys[slot] ??= key;
      if (isWanted(slot)) return key;
    }
    return undefined;
  }
}

/** The address of the primary of each slot; undefined where a slot has none. */
export type SlotOwners = readonly (string | undefined)[];

/**
 * Asks a node which primary keeps which slot.
 *
 * @param asked The address of the node, which it may leave out.
 * @throws {Error} When it does not say.
 */
export async function slotOwners(
  client: Pick<RedisClient, "ask">,
  asked: string,
): Promise<SlotOwners> {
  return await client.ask(["CLUSTER", "SLOTS"], (reply) => readSlots(reply, asked));
}

// An array of ranges, each with its first and last slot and its nodes, the primary first: a node is
// an array that begins with its host and its port.
function readSlots(reply: unknown, asked: string): SlotOwners {
  const owners: (string | undefined)[] = new Array(SLOTS).fill(undefined);
  const primaries = new Set<string>();
  let named = 0;
  if (!Array.isArray(reply)) throw notSlots();
  for (const range of reply) {
    const [from, to, node] = Array.isArray(range) ? range : [];
    if (!isSlot(from) || !isSlot(to) || from > to || !Array.isArray(node)) throw notSlots();
    const primary = addressOf(node, asked);
    primaries.add(primary);
    named += to - from + 1;
    if (named > SLOTS || primaries.size > MAX_NODES) throw notSlots();
    owners.fill(primary, from, to + 1);
  }
  return owners;
}

function isSlot(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < SLOTS;
}

function addressOf([host, port]: readonly unknown[], asked: string): string {
  if (!Number.isInteger(port)) throw notSlots();
  const isNamed = host !== null && host !== "?";
  const address = nodeAddress(isNamed ? String(host) : "", Number(port), asked);
  if (address === undefined) throw notSlots();
  return address;
}

/**
 * The address of a node, as a node tells it. It is shown where the node fails, so nothing but an
 * address is taken for one.
 *
 * @param host Empty where the node knows no name for it: then it is that by which it was asked.
 * @param asked The address of the node that tells it.
 * @returns undefined when it is none.
 */
export function nodeAddress(host: string, port: number, asked: string): string | undefined {
  const known = host === "" ? asked.replace(/:[0-9]+$/, "") : host;
  const bracketed = known.includes(":") && !known.startsWith("[") ? `[${known}]` : known;
  const address = `${bracketed}:${port}`;
  return isAddress(address) ? address : undefined;
}

function notSlots(): ProtocolError {
  return new ProtocolError("These are no slots");
}
