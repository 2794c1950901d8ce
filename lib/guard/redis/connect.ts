/**
 * The official client of Redis and Valkey for each kind of store, loaded when a store is asked for.
 *
 * @module
 */

import { randomInt } from "node:crypto";
import tls from "node:tls";
import { ServerError } from "./reasons.ts";
import type { StoreUrl } from "./store_url.ts";

/** PEM texts for TLS with a store. */
export interface StoreTls {
  /** Authorities that sign the store's certificate; those of the runtime unless given. */
  readonly ca?: string | undefined;
  /** The certificate of this client. */
  readonly cert?: string | undefined;
  /** Its private key. */
  readonly key?: string | undefined;
}

/** Sends a command and gives its reply; rejects with an error reply. */
export type Send = (words: readonly string[]) => Promise<unknown>;

/** A client of a store, whatever its kind. */
export interface StoreClient {
  /** Connects; called once. */
  readonly connect: () => Promise<unknown>;
  /** Sends a command about a key to the server that keeps it. */
  readonly send: (key: string, words: readonly string[]) => Promise<unknown>;
  /** The servers that keep keys. */
  readonly servers: () => Promise<readonly Send[]>;
  /** Numbers of the probe keys of each server that keeps keys; a healthy server answers all of its own. */
  readonly probeNumbers: () => readonly (readonly number[])[];
  /** The error with the server that keeps a key, unless the URL names it already. */
  readonly located: (error: unknown, key: string) => unknown;
  /** Ends it and rejects what waits for an answer. */
  readonly destroy: () => void;
}

/** How a client is made. */
export interface OpenOptions {
  /** What TLS needs; read only where the URL says rediss. */
  readonly tls: StoreTls;
  /** How long connecting to one server may take, in milliseconds. */
  readonly timeoutMs: number;
  /** What the keys of probes begin with. */
  readonly probePrefix: string;
  /** Called with each error of a connection to a server that keeps keys. */
  readonly onLoss?: (error: unknown) => void;
}

/** Commands without an answer, at most; a store that fell silent must not fill the memory. */
const MAX_QUEUE = 10_000;

/** Numbers of probe keys, one in each quarter of the slots of a Cluster (the CRC is linear). */
const SPREAD_NUMBERS = [0, 1, 2, 3] as const;

/** Probe keys to try for each server of a Cluster. */
const MAX_TRIES = 16_384;

/**
 * Makes a client that connects once and never again, and sends no command twice: whoever uses it
 * replaces it when it fails.
 */
export async function openStore(url: StoreUrl, options: OpenOptions): Promise<StoreClient> {
  const redis = await import("@redis/client");
  if (url.isEncrypted) hearEarlyAlerts();
  const context = { redis, url, options };
  if (url.kind === "sentinel") return openSentinel(context);
  return url.kind === "cluster" ? openCluster(context) : openServer(context);
}

let isHearing = false;

/**
 * Adds a listener for errors to TLS sockets when they are made, once for the process.
 *
 * The client listens one turn after the handshake, and Deno emits an alert that follows it (TLS 1.3: a
 * store that wants another certificate) in the same turn: an error event without a listener ends the
 * process. tests/redis/tls_test.ts fails without this.
 */
function hearEarlyAlerts(): void {
  if (isHearing) return;
  isHearing = true;
  const { connect } = tls;
  const heard = (...args: Parameters<typeof connect>): tls.TLSSocket =>
    connect(...args).on("error", () => {});
  Object.assign(tls, { connect: heard });
}

interface Context {
  readonly redis: typeof import("@redis/client");
  readonly url: StoreUrl;
  readonly options: OpenOptions;
}

const PROTOCOL = { RESP: 2, commandOptions: { timeout: 0 } } as const;

// deno-lint-ignore explicit-function-return-type
function clientOptions({ url, options: { tls: files, timeoutMs } }: Context) {
  return {
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: "disabled",
    commandsQueueMaxLength: MAX_QUEUE,
    socket: {
      reconnectStrategy: false,
      connectTimeout: timeoutMs,
      // Said outright: the environment may switch it off (NODE_TLS_REJECT_UNAUTHORIZED).
      ...(url.isEncrypted ? { ...files, tls: true, rejectUnauthorized: true } as const : {}),
    },
  } as const;
}

/** What Redis says of a slot that no node keeps; the client has no error for it. */
const NO_NODE = "CLUSTERDOWN Hash slot not served";

function openServer(context: Context): StoreClient {
  const { redis, url, options: { onLoss = () => {} } } = context;
  const { socket, ...common } = clientOptions(context);
  const [address] = url.addresses;
  const client = redis.createClient({
    ...PROTOCOL,
    ...common,
    ...url.login,
    database: url.database,
    socket: { ...socket, ...address! },
  });
  client.on("error", onLoss);
  const send: Send = (words) => client.sendCommand([...words]);
  return {
    connect: () => client.connect(),
    send: (_, words) => send(words),
    servers: () => Promise.resolve([send]),
    probeNumbers: () => [SPREAD_NUMBERS],
    located: (error) => error,
    destroy: () => client.destroy(),
  };
}

function openSentinel(context: Context): StoreClient {
  const { redis, url, options: { onLoss = () => {} } } = context;
  const common = clientOptions(context);
  const client = redis.createSentinel({
    ...PROTOCOL,
    name: url.primaryName,
    sentinelRootNodes: shuffled(url.addresses),
    sentinelClientOptions: { ...common, ...url.sentinelLogin },
    nodeClientOptions: { ...common, ...url.login, database: url.database },
    // One connection for all commands, and none of them sent twice.
    reserveClient: true,
    maxCommandRediscovers: 0,
    passthroughClientErrorEvents: true,
  });
  let primary: string | undefined;
  let sentinelError: unknown;
  client.on("topology-change", (event) => {
    if (event.type === "MASTER_CHANGE") primary = `${event.node.host}:${event.node.port}`;
  });
  const located = (error: unknown): unknown =>
    primary === undefined ? error : new ServerError(`its primary, ${primary},`, error);
  client.on("error", (error) => {
    if (!(error instanceof Error)) return;
    if (/^Master Client /.test(error.message)) onLoss(located(error.cause));
    else sentinelError ??= error.cause ?? error;
  });
  const send: Send = (words) => client.sendCommand(false, [...words]);
  return {
    connect: async () => {
      try {
        await client.connect();
      } catch (error) {
        if (primary !== undefined) throw located(error);
        throw new ServerError("one of its Sentinels", sentinelError ?? error);
      }
    },
    send: (_, words) => send(words),
    servers: () => Promise.resolve([send]),
    probeNumbers: () => [SPREAD_NUMBERS],
    located,
    destroy: () => void client.destroy().catch(() => {}),
  };
}

function openCluster(context: Context): StoreClient {
  const { redis, url, options: { timeoutMs, probePrefix, onLoss = () => {} } } = context;
  const { socket, ...common } = clientOptions(context);
  const client = redis.createCluster({
    ...PROTOCOL,
    // The client begins at a random one. A silent node must not hold up the others.
    rootNodes: url.addresses.map((address) => ({
      socket: { ...address, socketTimeout: timeoutMs },
    })),
    defaults: { ...common, ...url.login, socket },
    // A node that cannot be reached takes its own keys with it and no others.
    minimizeConnections: true,
  });
  let discoveryError: unknown;
  client.on("error", (error) => discoveryError = error);
  client.on("node-error", (error, { host, port }) => onLoss(nodeError(`${host}:${port}`, error)));
  const addressOf = (key: string): string | undefined => client.slots[slotOf(key)]?.master.address;
  return {
    connect: async () => {
      try {
        await client.connect();
      } catch (error) {
        throw discoveryError ?? error;
      }
      if (client.masters.length === 0) throw new Error(NO_NODE);
    },
    send: (key, words) => client.sendCommand(key, false, [...words]),
    servers: async () => {
      const nodes = await Promise.all(client.masters.map((node) => client.nodeClient(node)));
      return nodes.map((node): Send => (words) => node.sendCommand([...words]));
    },
    probeNumbers: () => {
      const numbers = new Map<string, number>();
      for (let i = 0; i < MAX_TRIES && numbers.size < client.masters.length; i++) {
        const address = addressOf(`${probePrefix}${i}`);
        if (address !== undefined && !numbers.has(address)) numbers.set(address, i);
      }
      return [...numbers.values()].map((number) => [number]);
    },
    located: (error, key) => {
      const address = addressOf(key);
      return address === undefined ? new Error(NO_NODE) : nodeError(address, error);
    },
    destroy: () => client.destroy(),
  };
}

function nodeError(address: string, error: unknown): ServerError {
  return new ServerError(`its node, ${address},`, error);
}

function shuffled<T>(all: readonly T[]): T[] {
  const rest = [...all];
  return all.map(() => rest.splice(randomInt(rest.length), 1)[0]!);
}

/**
 * The slot of a Cluster that keeps a key without braces: CRC-16/XMODEM modulo the number of slots.
 * https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/
 */
export function slotOf(key: string): number {
  let crc = 0;
  for (const byte of new TextEncoder().encode(key)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1;
  }
  return crc & 0x3fff;
}
