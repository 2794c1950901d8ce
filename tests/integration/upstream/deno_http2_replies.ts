// deno-lint-ignore-file no-console
const body = new Uint8Array(2 ** 20).fill(1);
let handled = 0;
const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => {
  handled++;
  return new Response(body);
});

/** Frame of HTTP/2 (RFC 9113 §4.1). */
function frame(type: number, flags: number, stream: number, payload: number[]): number[] {
  return [0, 0, payload.length, type, flags, 0, 0, stream >> 8, stream & 255, ...payload];
}

// A window of 0 for each stream, and 200 requests; then silence.
const SETTINGS = frame(4, 0, 0, [0, 4, 0, 0, 0, 0]);
const GET = [0x82, 0x86, 0x84, 0x01, 1, 0x61];
const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.addr.port });
let isClosed = false;
(async () => {
  while (await connection.read(new Uint8Array(65_536)).catch(() => null) !== null);
  isClosed = true;
})();
const before = Deno.memoryUsage().rss;
await connection.write(new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
await connection.write(new Uint8Array(SETTINGS));
for (let i = 0; i < 200; i++) {
  await connection.write(new Uint8Array(frame(1, 5, 2 * i + 1, GET)));
}
// Time to reply, and for a deadline to pass.
await new Promise((resolve) => setTimeout(resolve, 20_000));
const growth = Math.round((Deno.memoryUsage().rss - before) / 2 ** 20);
console.log(
  isClosed || growth < 100
    ? `gone: ${growth} MiB more, and the connection is ${isClosed ? "closed" : "open"}`
    : `fault: ${growth} MiB more for ${handled} replies, held for 20 seconds`,
);
Deno.exit();
