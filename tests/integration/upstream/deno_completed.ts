// deno-lint-ignore-file no-console
const body = new Uint8Array(16 * 2 ** 20);
const completed = Promise.withResolvers<string>();
const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  (_request, info) => {
    info.completed.then(() => completed.resolve("fulfilled"), () => completed.resolve("rejected"));
    setTimeout(() => completed.resolve("pending"), 3_000);
    return new Response(body);
  },
);

// A caller that does not read: far more than the buffers of both sockets cannot have left.
const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.addr.port });
await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
const state = await completed.promise;
console.log(
  state === "fulfilled"
    ? "fault: completed is fulfilled, and no caller has read a byte"
    : `gone: completed is ${state} while the reply cannot leave`,
);
Deno.exit();
