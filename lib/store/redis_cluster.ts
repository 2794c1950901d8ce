/**
 * A Redis Cluster: a kept connection to each primary, and the way of each key to the one that has it.
 *
 * @module
 */

import { MAX_NODES, nodeAddress, SlotKeys, slotOf, type SlotOwners } from "./cluster_slots.ts";
import { keepConnected, type Pace, type RedisConnection } from "../connection/redis_connection.ts";
import type { RedisClient } from "../connection/redis_client.ts";
import { ErrorReply, type StoreFailure, storeFailure } from "../connection/store_failure.ts";

/** How the connections to a Cluster are kept. */
export interface RedisClusterOptions {
  /** Asks nodes, known ones first, for the primary of each slot. */
  readonly findOwners: (known: readonly string[]) => Promise<SlotOwners>;
  /** Connects to a node; see `keepConnected`. */
  readonly open: (address: string, onEnd: (reason: unknown) => void) => Promise<RedisClient>;
  /** Asks a node what must be answered before its connection is used, about a key that it has. */
  readonly probe: (client: RedisClient, key: string) => Promise<unknown>;
  /** What the keys for that begin with. */
  readonly probePrefix: string;
  /**
   * Told of each new reason why the Cluster, or a node of it, cannot be used, and when it can again.
   *
   * @param node The address of the node; undefined where it is all of the Cluster.
   */
  readonly onChange: (failure: StoreFailure | undefined, node?: string) => void;
  /** The pauses of the connections. */
  readonly pace?: Pace;
  /** How often the slots are asked for while all is well, in milliseconds; 5000 unless given. */
  readonly refreshMs?: number;
}

/** How many times a question is sent on to another node. */
const MAX_REDIRECTIONS = 4;

/** How often the slots are asked for while a node is missing, in milliseconds. */
const HASTE_MS = 250;

/**
 * The pause for each node that is new, in milliseconds, where that is more. A Cluster that names a
 * thousand others each time would keep this process busy with connections to them, and its log.
 */
const NEW_NODE_MS = 4;

/** The longest pause while nobody can be asked, in milliseconds. */
const LONGEST_PAUSE_MS = 4000;

interface Node {
  readonly connection: RedisConnection;
  /** Whether a question was sent to it since the slots were last asked for. */
  isAsked: boolean;
}

/**
 * Connects to all primaries, and follows their slots wherever those go.
 *
 * A question goes to the node that has the slot of its key, and to another one only where the first
 * says that it did not look at it (MOVED, ASK): one whose reply was lost is never sent again. A node
 * that fails takes its own share of the keys with it and no other.
 *
 * Not by the client's own way with clusters: what comes of its connections nobody else can watch, and
 * a node that falls silent stays in use.
 */
export function connectCluster(options: RedisClusterOptions): RedisConnection {
  const cluster = new Cluster(options);
  void cluster.run();
  return {
    ask: (words, read, isOver) => cluster.ask(words, read, isOver),
    isHealthy: () => cluster.isHealthy,
    close: () => cluster.close(),
  };
}

class Cluster {
  readonly #options: RedisClusterOptions;
  readonly #probeKeys: SlotKeys;
  readonly #nodes = new Map<string, Node>();
  #owners: (string | undefined)[] = [];
  #told: string | undefined;
  #closed = false;
  #wake: () => void = () => {};

  constructor(options: RedisClusterOptions) {
    this.#options = options;
    this.#probeKeys = new SlotKeys(options.probePrefix);
  }

  // More than half of the primaries: without them, the rest refuse to decide as well.
  get isHealthy(): boolean {
    const primaries = this.#primaries();
    const well = primaries.filter((address) => this.#isWell(address));
    return well.length * 2 > primaries.length;
  }

  async ask<T>(
    words: readonly string[],
    read: (reply: unknown) => T,
    isOver: () => boolean = () => false,
  ): Promise<T> {
    const slot = slotOf(keyIn(words));
    let address = this.#owners[slot];
    let asking = false;
    for (let redirections = 0;; redirections++) {
      if (address === undefined || this.#closed) throw new Error("No node has the slot");
      const connection = this.#use(address);
      try {
        // One behind the other on one connection: nothing comes between.
        if (asking) connection.ask(["ASKING"], () => {}).catch(() => {});
        return await connection.ask(words, read);
      } catch (error) {
        const redirection = redirectionOf(error, address);
        if (redirection === undefined || redirections >= MAX_REDIRECTIONS) throw error;
        // A node that sends each question to another address gets us no further.
        const isNew = !this.#nodes.has(redirection.address);
        if (isNew && this.#nodes.size >= MAX_NODES) throw error;
        address = redirection.address;
        asking = redirection.kind === "ASK";
        if (!asking && !isNew) this.#owners[slot] = address;
        this.#wake();
        if (isOver()) throw error;
      }
    }
  }

  close(): void {
    this.#closed = true;
    this.#wake();
    for (const { connection } of this.#nodes.values()) connection.close();
  }

  async run(): Promise<void> {
    const { findOwners, refreshMs = 5000 } = this.#options;
    let failures = 0;
    while (!this.#closed) {
      let added = 0;
      try {
        added = this.#take(
          await findOwners(this.#primaries().filter((address) => this.#isWell(address))),
        );
        this.#tell(undefined);
        failures = 0;
      } catch (error) {
        this.#tell(storeFailure(error));
        failures++;
      }
      if (this.#closed) return;
      await this.#pause(Math.max(HASTE_MS, added * NEW_NODE_MS));
      const isWhole = this.#primaries().every((address) => this.#isWell(address));
      if (failures > 0) await this.#pause(Math.min(HASTE_MS * 2 ** failures, LONGEST_PAUSE_MS));
      else if (isWhole) await this.#nap(refreshMs);
    }
  }

  #primaries(): string[] {
    return [...new Set(this.#owners)].filter((address) => address !== undefined);
  }

  #isWell(address: string): boolean {
    return this.#nodes.get(address)?.connection.isHealthy() === true;
  }

  // Gives how many primaries are new.
  #take(owners: SlotOwners): number {
    if (this.#closed) return 0;
    this.#owners = [...owners];
    const primaries = new Set(this.#primaries());
    for (const [address, node] of this.#nodes) {
      // One that gets its first slots is asked before it is a primary.
      if (!primaries.has(address) && !node.isAsked) {
        this.#nodes.delete(address);
        node.connection.close();
      }
      node.isAsked = false;
    }
    const added = [...primaries].filter((address) => !this.#nodes.has(address));
    for (const address of added) this.#nodeAt(address);
    return added.length;
  }

  #use(address: string): RedisConnection {
    const node = this.#nodeAt(address);
    node.isAsked = true;
    return node.connection;
  }

  #nodeAt(address: string): Node {
    const known = this.#nodes.get(address);
    if (known !== undefined) return known;
    const { open, probe, onChange, pace } = this.#options;
    let hasFailed = false;
    let key: string | undefined;
    const connection = keepConnected({
      open: (onEnd) => open(address, onEnd),
      probe: async (client) => {
        if (key === undefined || this.#owners[slotOf(key)] !== address) {
          key = this.#probeKeys.find((slot) => this.#owners[slot] === address);
        }
        // A node that has no slot yet cannot decide, but answers.
        await (key === undefined ? client.ask(["TIME"], () => {}) : probe(client, key));
      },
      onChange: (failure) => {
        if (failure !== undefined) this.#wake();
        if (failure !== undefined || hasFailed) onChange(failure, address);
        hasFailed ||= failure !== undefined;
      },
      isHarmless: (error) => /^(?:MOVED|ASK|TRYAGAIN) /.test(error.message),
      ...pace,
    });
    const node = { connection, isAsked: false };
    this.#nodes.set(address, node);
    return node;
  }

  // Until something is heard of that may have moved slots.
  async #nap(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#closed) this.#wake();
    });
    this.#wake = () => {};
  }

  async #pause(ms: number): Promise<void> {
    if (!this.#closed) await new Promise((resolve) => setTimeout(resolve, ms));
  }

  #tell(failure: StoreFailure | undefined): void {
    const news = failure?.saying ?? "";
    if (this.#closed || news === this.#told) return;
    this.#told = news;
    this.#options.onChange(failure);
  }
}

// Where the key stands in a command; each that a Cluster is asked has one.
function keyIn(words: readonly string[]): string {
  return words[0]!.startsWith("EVAL") ? words[3]! : words[1]!;
}

interface Redirection {
  readonly kind: "MOVED" | "ASK";
  readonly address: string;
}

// `MOVED 3999 127.0.0.1:6381`: the slot and where it is. A node that has no name for itself leaves the
// host out.
const REDIRECTION = /^(MOVED|ASK) [0-9]+ (\S*):([0-9]{1,5})$/;

function redirectionOf(error: unknown, asked: string): Redirection | undefined {
  if (!(error instanceof ErrorReply)) return undefined;
  const [, kind, host = "", port] = REDIRECTION.exec(error.message) ?? [];
  if (kind !== "MOVED" && kind !== "ASK") return undefined;
  const address = nodeAddress(host, Number(port), asked);
  return address === undefined ? undefined : { kind, address };
}
