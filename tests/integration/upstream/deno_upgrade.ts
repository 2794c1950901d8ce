// deno-lint-ignore-file no-console
const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  async (request) => new Response(await request.text()),
);
const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.addr.port });
await connection.write(
  new TextEncoder().encode(
    "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\n" +
      "Upgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\n" +
      "Content-Length: 5\r\n\r\nhello",
  ),
);
const reply = new Uint8Array(1_024);
const length = await connection.read(reply);
const [statusLine] = new TextDecoder().decode(reply.subarray(0, length ?? 0)).split("\r\n");
console.log(`${statusLine === "HTTP/1.1 400 Bad Request" ? "fault" : "gone"}: ${statusLine}`);
Deno.exit();
