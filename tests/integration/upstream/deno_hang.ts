// deno-lint-ignore-file no-console
// The server is in a worker, so that the client beside it can tell that it hangs.
if (self.name === "server") {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async ({ body }) => {
      const reader = body?.getReader();
      while (reader && !(await reader.read()).done) {
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      return new Response("ok");
    },
  );
  (self as unknown as Worker).postMessage(server.addr.port);
} else {
  const worker = new Worker(import.meta.url, { type: "module", name: "server" });
  const port = await new Promise<number>((resolve) => {
    worker.onmessage = ({ data }) => resolve(data);
  });
  const address = { hostname: "127.0.0.1", port };
  const within = <T>(ms: number, promise: Promise<T>): Promise<T | undefined> =>
    Promise.race([
      promise,
      new Promise<undefined>((resolve) => setTimeout(resolve, ms, undefined)),
    ]);
  const encoder = new TextEncoder();

  // One second of chunks, each of one byte, and the connection closed.
  const flood = await Deno.connect(address);
  const writer = flood.writable.getWriter();
  const head = "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  await writer.write(encoder.encode(head));
  const chunks = encoder.encode("1\r\na\r\n".repeat(10_000));
  const end = performance.now() + 1_000;
  while (performance.now() < end && await within(1_000, writer.write(chunks).then(() => true)));
  flood.close();
  await new Promise((resolve) => setTimeout(resolve, 2_000));

  const connection = await Deno.connect(address);
  await connection.write(encoder.encode("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  const length = await within(20_000, connection.read(new Uint8Array(1_024)));
  console.log(
    length
      ? "gone: the next request is answered"
      : "fault: the next request has no answer after 20 seconds",
  );
  Deno.exit();
}
