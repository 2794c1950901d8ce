// deno-lint-ignore-file no-console
const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  () => new Response("ok"),
);

/** Frame of HTTP/2 (RFC 9113 §4.1). */
function frame(type: number, flags: number, stream: number, payload: number[]): number[] {
  return [0, 0, payload.length, type, flags, 0, 0, stream >> 8, stream & 255, ...payload];
}

// A window of 0, so that the reply cannot leave, and a POST whose body does not end.
const SETTINGS = frame(4, 0, 0, [0, 4, 0, 0, 0, 0]);
const POST = [0x83, 0x86, 0x84, 0x01, 1, 0x61];
const EMPTY_DATA = frame(0, 0, 1, []);
const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.addr.port });
(async () => {
  while (await connection.read(new Uint8Array(65_536)).catch(() => null) !== null);
})();
const writer = connection.writable.getWriter();
await writer.write(new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
await writer.write(new Uint8Array([...SETTINGS, ...frame(1, 4, 1, POST)]));

const before = Deno.memoryUsage().rss;
const growth = (): number => Math.round((Deno.memoryUsage().rss - before) / 2 ** 20);
const end = (line: string): void => {
  console.log(line);
  Deno.exit();
};
setTimeout(() => end("gone: the server reads no more"), 60_000);
const frames = new Uint8Array(Array(1_000).fill(EMPTY_DATA).flat());
let sent = 0;
while (growth() < 100) {
  if (sent > 2 ** 26) end(`gone: ${growth()} MiB more, for 64 MiB of one connection`);
  try {
    await writer.write(frames);
    sent += frames.length;
  } catch {
    end("gone: the server closed the connection");
  }
}
end(`fault: ${growth()} MiB more, for ${Math.round(sent / 2 ** 20)} MiB of one connection`);
