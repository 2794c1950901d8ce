/**
 * Where the primaries of a store are: the one server, the one that Sentinels name, or those of a
 * Cluster.
 *
 * @module
 */

import { slotOf, type SlotOwners, slotOwners } from "./cluster_slots.ts";
import { openRedis, type RedisClient, type StoreTls } from "../connection/redis_client.ts";
import { ErrorReply, LeaderlessError, ProtocolError } from "../connection/store_failure.ts";
import type { StoreUrl } from "../connection/store_url.ts";

/** How what is asked once is asked. */
export interface AskOptions {
  /** What TLS needs. */
  readonly tls: StoreTls;
  /** How long an answer may take, in milliseconds; as the URL says unless given. */
  readonly patienceMs?: number;
}

/**
 * Asks all Sentinels for the primary, and takes the word of the one that knows of the latest
 * election: the others hear of it within seconds, and until then name a primary that may be gone, or
 * back with nothing in its memory.
 *
 * Not by the client's own way with Sentinels: that has one command at a time on each connection, and
 * sends one again whose reply was lost, although it may have been carried out.
 * https://redis.io/docs/latest/develop/reference/sentinel-clients/
 *
 * @throws {Error} When none knows it; the reason of one of them.
 */
export async function findPrimary(url: StoreUrl, options: AskOptions): Promise<StoreUrl> {
  const ask = (client: RedisClient): Promise<Elected> =>
    client.ask(["SENTINEL", "MASTER", url.primaryName], readElected);
  const answers = await Promise.allSettled(
    url.servers().map((sentinel) => askOnce(sentinel, options, ask)),
  );
  const elected = answers.flatMap((answer) => answer.status === "fulfilled" ? [answer.value] : []);
  const latest = elected.toSorted((one, other) => other.epoch - one.epoch)[0];
  if (latest !== undefined) return url.at(latest.address);
  const reasons = answers.flatMap((answer) => answer.status === "rejected" ? [answer.reason] : []);
  const unknown = reasons.find((reason) =>
    reason instanceof ErrorReply && reason.message.startsWith("ERR No such master")
  );
  throw unknown === undefined ? reasons[0] : new LeaderlessError("No primary has the name");
}

/** A primary, and the number of the election that made it one. */
interface Elected {
  readonly address: string;
  readonly epoch: number;
}

// Names and values in turn.
function readElected(reply: unknown): Elected {
  const words = Array.isArray(reply) ? reply.map(String) : [];
  const valueOf = (name: string): string => {
    const at = words.findIndex((word, i) => i % 2 === 0 && word === name);
    return at < 0 ? "" : words[at + 1] ?? "";
  };
  const [host, port, epoch] = ["ip", "port", "config-epoch"].map(valueOf);
  if (!host || !/^[0-9]{1,5}$/.test(port!) || !/^[0-9]{1,15}$/.test(epoch!)) {
    throw new ProtocolError("This is no primary");
  }
  return { address: `${host.includes(":") ? `[${host}]` : host}:${port}`, epoch: Number(epoch) };
}

/**
 * Asks nodes of a Cluster which of them keeps which slot, one after the other until one says.
 *
 * @param known Addresses of nodes that are asked before those of the URL.
 * @throws {Error} When none does; the reason of the last one that was asked.
 */
export async function findSlotOwners(
  url: StoreUrl,
  options: AskOptions,
  known: readonly string[] = [],
): Promise<SlotOwners> {
  const nodes = [...known.map((address) => url.at(address)), ...url.servers()];
  return await askUntilAnswered(nodes, options, async (client, node) => {
    const owners = await slotOwners(client, new URL(node.reveal()).host);
    if (owners.every((owner) => owner === undefined)) {
      throw new LeaderlessError("No node has a slot");
    }
    return owners;
  });
}

async function askUntilAnswered<T>(
  servers: readonly StoreUrl[],
  options: AskOptions,
  ask: (client: RedisClient, server: StoreUrl) => Promise<T>,
): Promise<T> {
  let reason: unknown;
  for (const url of servers) {
    try {
      return await askOnce(url, options, (client) => ask(client, url));
    } catch (error) {
      reason = error;
    }
  }
  throw reason;
}

/**
 * Opens a connection to one server, asks something and ends it.
 *
 * @throws {Error} When the server does not answer, or answers with an error.
 */
export async function askOnce<T>(
  url: StoreUrl,
  { tls, patienceMs = url.patienceMs }: AskOptions,
  ask: (client: RedisClient) => Promise<T>,
): Promise<T> {
  const client = await openRedis({ url, tls, onEnd: () => {}, patienceMs });
  try {
    return await ask(client);
  } finally {
    client.end(new Error("Nothing more is asked"));
  }
}

/**
 * The server that keeps a key.
 *
 * @throws {Error} When that cannot be found out.
 */
export async function serverOf(
  url: StoreUrl,
  key: string,
  options: AskOptions,
): Promise<StoreUrl> {
  if (url.kind === "server") return url;
  if (url.kind === "sentinel") return await findPrimary(url, options);
  const owner = (await findSlotOwners(url, options))[slotOf(key)];
  if (owner === undefined) throw new LeaderlessError("No node has the slot");
  return url.at(owner);
}

/**
 * All servers that keep something.
 *
 * @throws {Error} When they cannot be found out.
 */
export async function allServers(
  url: StoreUrl,
  options: AskOptions,
): Promise<readonly StoreUrl[]> {
  if (url.kind === "server") return [url];
  if (url.kind === "sentinel") return [await findPrimary(url, options)];
  const owners = new Set(await findSlotOwners(url, options));
  return [...owners].flatMap((owner) => owner === undefined ? [] : [url.at(owner)]);
}
