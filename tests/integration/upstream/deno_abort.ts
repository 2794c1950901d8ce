// deno-lint-ignore-file no-console
const stopper = new AbortController();
let begun = 0;
const options = { hostname: "127.0.0.1", port: 0, onListen: () => {}, signal: stopper.signal };
const server = Deno.serve(options, () => {
  if (++begun === 1) stopper.abort();
  return new Response("ok");
});

/** Frame of HTTP/2 (RFC 9113 §4.1). */
function frame(type: number, flags: number, stream: number, payload: number[]): number[] {
  return [0, 0, payload.length, type, flags, 0, 0, stream >> 8, stream & 255, ...payload];
}

// 100 requests in one write.
const GET = [0x82, 0x86, 0x84, 0x01, 1, 0x61];
const requests = Array.from({ length: 100 }, (_, i) => frame(1, 5, 2 * i + 1, GET)).flat();
const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.addr.port });
const preface = new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
await connection.writable.getWriter().write(
  new Uint8Array([...preface, ...frame(4, 0, 0, []), ...requests]),
);
await server.finished;
await new Promise((resolve) => setTimeout(resolve, 1_000));
console.log(
  begun > 1
    ? `fault: ${begun - 1} requests reach the handler after abort()`
    : "gone: no request reaches the handler after abort()",
);
Deno.exit();
