/**
 * A TCP proxy between a server and its store, which a test lets delay, change or drop messages.
 *
 * @module
 */

/** The sender of a message. */
export type Sender = "server" | "store";

/** Returns what is passed on of a piece; undefined ends the connection. */
export type ChangePiece = (piece: Uint8Array, sender: Sender) => Piece | Promise<Piece>;

type Piece = Uint8Array | undefined;

/** A proxy that listens. */
export interface TcpProxy {
  /** Its port on the loopback address. */
  readonly port: number;
  /** Ends all connections and stops listening. */
  readonly close: () => void;
}

/**
 * Starts one.
 *
 * @param change Makes the function that handles the pieces of one connection.
 */
export function startTcpProxy(storePort: number, change: () => ChangePiece): TcpProxy {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.TcpConn>();
  const listen = async (): Promise<void> => {
    for await (const server of listener) {
      void connect(server, storePort, change(), open);
    }
  };
  void listen();
  return {
    port: listener.addr.port,
    close: () => {
      listener.close();
      for (const connection of open) close(connection);
    },
  };
}

async function connect(
  server: Deno.TcpConn,
  storePort: number,
  change: ChangePiece,
  open: Set<Deno.TcpConn>,
): Promise<void> {
  open.add(server);
  try {
    const store = await Deno.connect({ hostname: "127.0.0.1", port: storePort });
    open.add(store);
    await Promise.race([
      pass(server, store, (piece) => change(piece, "server")),
      pass(store, server, (piece) => change(piece, "store")),
    ]);
    close(store);
    open.delete(store);
  } catch {
    // Either end may close at any time.
  }
  close(server);
  open.delete(server);
}

async function pass(
  from: Deno.TcpConn,
  to: Deno.TcpConn,
  change: (piece: Uint8Array) => Piece | Promise<Piece>,
): Promise<void> {
  const buffer = new Uint8Array(16_384);
  try {
    for (;;) {
      const length = await from.read(buffer);
      const piece = length === null ? undefined : await change(buffer.slice(0, length));
      if (piece === undefined) return;
      for (let at = 0; at < piece.length;) at += await to.write(piece.subarray(at));
    }
  } catch {
    // Closed by either end.
  }
}

function close(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch {
    // It is closed.
  }
}
