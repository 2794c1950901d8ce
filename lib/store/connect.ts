/**
 * The connection to a store, whatever it is: one server, one behind Sentinels, or a Cluster.
 *
 * @module
 */

import { SlotKeys, SLOTS } from "./cluster_slots.ts";
import { askOnce, type AskOptions, findPrimary, findSlotOwners } from "./primaries.ts";
import { openRedis, type RedisClient, type StoreTls } from "../connection/redis_client.ts";
import { connectCluster } from "./redis_cluster.ts";
import { keepConnected, type RedisConnection } from "../connection/redis_connection.ts";
import { DemotedError, type StoreFailure } from "../connection/store_failure.ts";
import type { StoreUrl } from "../connection/store_url.ts";

/** How a store is connected to. */
export interface ConnectOptions {
  /** Where it is. */
  readonly url: StoreUrl;
  /** Gives what TLS needs, for each connection anew. */
  readonly readTls: () => StoreTls;
  /** Asks what must be answered before a connection is used, about a key that is nothing else's. */
  readonly probe: (client: Pick<RedisClient, "ask">, key: string) => Promise<unknown>;
  /** What the keys for that begin with. */
  readonly probePrefix: string;
  /**
   * Told of each new reason why the store, or a node of it, cannot be used, and when it can again.
   *
   * @param node The address of the node; undefined where it is all of the store.
   */
  readonly onChange: (failure: StoreFailure | undefined, node?: string) => void;
}

/**
 * Asks all servers of a store once what must be answered before they are used.
 *
 * @throws {Error} When one of them does not answer it.
 */
export async function tryStore(
  url: StoreUrl,
  options: AskOptions,
  { probe, probePrefix }: Pick<ConnectOptions, "probe" | "probePrefix">,
): Promise<void> {
  const tryServer = async (server: StoreUrl, keys: readonly string[]): Promise<void> => {
    await askOnce(server, options, (client) => Promise.all(keys.map((key) => probe(client, key))));
  };
  if (url.kind === "server") return await tryServer(url, spreadKeys(probePrefix));
  if (url.kind === "sentinel") {
    return await tryServer(await findPrimary(url, options), spreadKeys(probePrefix));
  }
  const owners = await findSlotOwners(url, options);
  const probeKeys = new SlotKeys(probePrefix);
  for (const address of new Set(owners)) {
    if (address === undefined) continue;
    const key = probeKeys.find((slot) => owners[slot] === address)!;
    await tryServer(url.at(address), [key]);
  }
}

/** Connects, and connects again whenever a connection ends, until it is closed. */
export function connectStore(options: ConnectOptions): RedisConnection {
  const { url, readTls, probe, probePrefix, onChange } = options;
  const open = (
    server: StoreUrl,
    onEnd: (reason: unknown) => void,
  ): Promise<RedisClient> => openRedis({ url: server, tls: readTls(), onEnd });
  if (url.kind === "cluster") {
    return connectCluster({
      findOwners: (known) => findSlotOwners(url, { tls: readTls() }, known),
      open: (address, onEnd) => open(url.at(address), onEnd),
      probe,
      probePrefix,
      onChange,
    });
  }
  const keys = spreadKeys(probePrefix);
  const probeAll = async (client: RedisClient): Promise<void> => {
    await Promise.all(keys.map((key) => probe(client, key)));
  };
  if (url.kind === "server") {
    return keepConnected({ open: (onEnd) => open(url, onEnd), probe: probeAll, onChange });
  }
  let primary = "";
  const find = async (): Promise<StoreUrl> => await findPrimary(url, { tls: readTls() });
  return keepConnected({
    open: async (onEnd) => {
      const found = await find();
      primary = found.toString();
      return await open(found, onEnd);
    },
    probe: async (client) => {
      await probeAll(client);
      // Where no Sentinel can be asked, the primary is the one that was.
      const now = await find().catch(() => undefined);
      if (now === undefined || now.toString() === primary) return;
      const other = new DemotedError("Another leads");
      client.end(other);
      throw other;
    },
    onChange,
  });
}

// A key in each quarter of the slots: of a node of a Cluster that was given as a server of its own,
// one of them at least is somewhere else.
function spreadKeys(prefix: string): readonly string[] {
  const keys = new SlotKeys(prefix);
  const quarters = [0, 1, 2, 3];
  return quarters.map((quarter) => keys.find((slot) => Math.floor(4 * slot / SLOTS) === quarter)!);
}
