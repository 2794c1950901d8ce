/**
 * One connection to Redis or Valkey by its official client, loaded when a shared store is asked for
 * and not before.
 *
 * @module
 */

import net, { type Socket } from "node:net";
import tls from "node:tls";
import { Pipeline } from "./pipeline.ts";
import { ReplyWatch } from "./reply_watch.ts";
import { codeOf, ErrorReply, ProtocolError } from "./store_failure.ts";
import type { StoreUrl } from "./store_url.ts";

/** What TLS with a store needs beside its address; each is PEM. */
export interface StoreTls {
  /** Authorities that the store's certificate must be from; those of the runtime unless given. */
  readonly ca?: string | undefined;
  /** The certificate that is shown to the store. */
  readonly cert?: string | undefined;
  /** Its private key. */
  readonly key?: string | undefined;
}

/** A connection. */
export interface RedisClient {
  /**
   * Sends a command.
   *
   * @param read Makes of the reply what it means; when it throws a `ProtocolError`, the reply is none
   * to this command, and the connection ends.
   * @throws {Error} When the reply is an error, or none comes.
   */
  readonly ask: <T>(words: readonly string[], read: (reply: unknown) => T) => Promise<T>;
  /** Ends the connection for a reason, with which what still waits is rejected. */
  readonly end: (reason: unknown) => void;
}

/** How a connection is made. */
export interface RedisClientOptions {
  /** Where the store is, with user name and password. */
  readonly url: StoreUrl;
  /** What TLS needs; read only where the URL says rediss. */
  readonly tls?: StoreTls;
  /** Told once when the connection has ended or could not be made, and why. */
  readonly onEnd: (reason: unknown) => void;
  /** How long a reply may take, in milliseconds; as the URL says unless given. */
  readonly patienceMs?: number;
}

/** Of the client's timers, which it has unless told otherwise: five seconds until it has written. */
const NONE = 0;

/**
 * What the client builds its hundreds of commands for. It keeps what it has built for the options that
 * it saw last, the address among them, and a Cluster may name a thousand addresses: with them, to build
 * it a thousand times held this process up for half a minute.
 */
const PROTOCOL = { RESP: 2 } as const;

/**
 * Connects and logs in. Commands may be sent at once: they wait until that is done.
 *
 * Nothing waits or tries again in the client: both are the business of the connection, and so is
 * time, since a timer of the client would blame a store for pauses of this process.
 *
 * @throws {Error} When certificate and key cannot be used.
 */
export async function openRedis(options: RedisClientOptions): Promise<RedisClient> {
  const redis = await import("@redis/client");
  const { url, tls, onEnd, patienceMs = url.patienceMs } = options;
  const client = redis.RedisClient.factory(PROTOCOL)({
    ...PROTOCOL,
    url: url.reveal(),
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: "disabled",
    commandOptions: { timeout: NONE },
    socket: { ...tls, reconnectStrategy: false, connectTimeout: NONE },
  });
  const watch = new ReplyWatch();
  let socket: Socket | undefined;
  const pipeline = new Pipeline({
    patienceMs,
    send: async (words) => {
      const reply = client.sendCommand([...words]).finally(() => watch.reset());
      return await reply.catch((error) => Promise.reject(translate(error, redis)));
    },
    onEnd: (reason) => {
      if (client.isOpen) client.destroy();
      socket?.destroy(); // the client knows it only once it is connected
      onEnd(reason);
    },
  });
  const end = (reason: unknown): void => pipeline.end(translate(reason, redis));
  const onData = (chunk: Uint8Array): void => {
    if (!watch.isNone(chunk)) return;
    end(new ProtocolError("This is no reply"));
    chunk.fill(0); // the client reads it all the same, and it is no reply now
  };
  client.on("error", end);
  const connected = withSocket(() => client.connect(), (opened) => {
    socket = opened.on("error", (error) => pipeline.end(error));
    hearFirst(opened, onData);
  });
  connected.then(() => pipeline.open(), end);
  return { ask: (words, read) => pipeline.ask(words, read), end: (reason) => pipeline.end(reason) };
}

// What is no error reply and none of the socket, which both have their own, is one of the client's
// reader.
function translate(error: unknown, redis: typeof import("@redis/client")): unknown {
  if (error instanceof redis.ErrorReply) return new ErrorReply(error.message);
  const isClosed = error instanceof redis.SocketClosedUnexpectedlyError;
  const isKnown = isClosed || error instanceof ProtocolError || codeOf(error) !== "";
  return isKnown ? error : new ProtocolError("The client cannot read the reply");
}

/**
 * Listens to what arrives as soon as somebody else does, and hears it first. A socket gives away what
 * comes as soon as anybody listens: a watch that listened before the client would read what the client
 * never sees, and would no longer know where a reply begins.
 */
function hearFirst(socket: Socket, onData: (chunk: Uint8Array) => void): void {
  const onNew = (event: string | symbol): void => {
    if (event === "data") socket.off("newListener", onNew).on("data", onData);
  };
  socket.on("newListener", onNew);
}

/**
 * Gives a hold on the socket that the client makes while it is told to connect.
 *
 * The client takes no socket from outside, and leaves its own without a listener for errors: in the
 * turn after a TLS handshake, in which the alert of a store that wants a certificate arrives, and
 * after a first error. An error event that nobody listens to ends the process.
 */
function withSocket<T>(connect: () => T, onSocket: (socket: Socket) => void): T {
  const held = <A extends unknown[]>(open: (...args: A) => Socket) => (...args: A): Socket => {
    const socket = open(...args);
    onSocket(socket);
    return socket;
  };
  const { createConnection } = net;
  const { connect: connectTls } = tls;
  Object.assign(net, { createConnection: held(createConnection) });
  Object.assign(tls, { connect: held(connectTls) });
  try {
    return connect();
  } finally {
    Object.assign(net, { createConnection });
    Object.assign(tls, { connect: connectTls });
  }
}
