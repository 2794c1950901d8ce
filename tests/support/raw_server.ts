/**
 * A server of bytes on loopback: of HTTP that no library would send, or of none.
 *
 * @module
 */

/** A server that runs. */
export interface RawServer extends AsyncDisposable {
  /** Its port. */
  readonly port: number;
  /** Its address. */
  readonly url: string;
  /** Number of connections so far. */
  readonly connections: () => number;
}

/** Writes text to the connection, in ISO-8859-1. */
export type Write = (text: string) => Promise<unknown>;

/**
 * Starts a server that waits for the beginning of a request, acts, and closes the connection.
 *
 * @param act Ends the connection when it returns, or the client is gone.
 * @param isEager Acts before the request.
 * @param tls Certificate and key of a server with TLS.
 */
export function startRaw(
  act: (write: Write, gone: Promise<unknown>) => Promise<unknown>,
  isEager = false,
  tls?: { readonly cert: string; readonly key: string },
): RawServer {
  const address = { hostname: "127.0.0.1", port: 0 };
  const listener = tls === undefined
    ? Deno.listen(address)
    : Deno.listenTls({ ...address, ...tls });
  let connections = 0;
  const serve = async (connection: Deno.Conn): Promise<void> => {
    connections++;
    const read = (): Promise<unknown> => connection.read(new Uint8Array(65_536)).catch(() => {});
    if (!isEager) await read();
    const gone = (async () => {
      while (typeof await read() === "number");
    })();
    const write: Write = (text) =>
      connection.write(Uint8Array.from(text, (character) => character.charCodeAt(0)));
    await act(write, gone).catch(() => {});
    connection.close();
    await gone;
  };
  const ended = (async () => {
    const served: Promise<void>[] = [];
    for await (const connection of listener) served.push(serve(connection));
    await Promise.all(served);
  })();
  const { port } = listener.addr;
  return {
    port,
    url: `http${tls === undefined ? "" : "s"}://127.0.0.1:${port}`,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      listener.close();
      await ended;
    },
  };
}
