/**
 * Which node of a Redis Cluster keeps which key.
 *
 * @module
 */

import type { RedisClient } from "../connection/redis_client.ts";
import { ProtocolError } from "../connection/store_failure.ts";

/** How many slots there are. */
export const SLOTS = 16_384;

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
 * A key whose slot is one of some, if a few tries find one.
 *
 * @param prefix What the key begins with.
 * @param isWanted Tells of a slot whether it is one of them.
 */
export function keyInSlots(
  prefix: string,
  isWanted: (slot: number) => boolean,
): string | undefined {
  for (let number = 0; number < 10 * SLOTS; number++) {
    if (isWanted(slotOf(`${prefix}${number}`))) return `${prefix}${number}`;
  }
  return undefined;
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
  if (!Array.isArray(reply)) throw notSlots();
  for (const range of reply) {
    const [from, to, primary] = Array.isArray(range) ? range : [];
    if (!isSlot(from) || !isSlot(to) || !Array.isArray(primary)) throw notSlots();
    owners.fill(addressOf(primary, asked), from, to + 1);
  }
  return owners;
}

function isSlot(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < SLOTS;
}

function addressOf([host, port]: readonly unknown[], asked: string): string {
  if (!Number.isInteger(port)) throw notSlots();
  const isNamed = host !== null && host !== "?";
  return nodeAddress(isNamed ? String(host) : "", Number(port), asked);
}

/**
 * The address of a node, as a node tells it.
 *
 * @param host Empty where the node knows no name for it: then it is that by which it was asked.
 * @param asked The address of the node that tells it.
 */
export function nodeAddress(host: string, port: number, asked: string): string {
  const known = host === "" ? asked.replace(/:[0-9]+$/, "") : host;
  const bracketed = known.includes(":") && !known.startsWith("[") ? `[${known}]` : known;
  return `${bracketed}:${port}`;
}

function notSlots(): ProtocolError {
  return new ProtocolError("These are no slots");
}
