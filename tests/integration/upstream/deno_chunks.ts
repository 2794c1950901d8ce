// deno-lint-ignore-file no-console
const FORMS = {
  // An extension of a chunk that does not end, read with a buffer of 4 KiB.
  extension: { start: "1;", more: "a".repeat(65_536), bufferBytes: 4_096 },
  // A trailer section that does not end, with any reader.
  trailers: { start: "0\r\n", more: "A: 1\r\n".repeat(10_000), bufferBytes: 16_384 },
};
const form = FORMS[Deno.args[0] === "trailers" ? "trailers" : "extension"];

const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  async ({ body }) => {
    const reader = body!.getReader({ mode: "byob" });
    while (!(await reader.read(new Uint8Array(form.bufferBytes))).done);
    return new Response("ok");
  },
);

const encoder = new TextEncoder();
const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.addr.port });
const head = "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
const writer = connection.writable.getWriter();
await writer.write(encoder.encode(head + form.start));
const more = encoder.encode(form.more);
const before = Deno.memoryUsage().rss;
const growth = (): number => Math.round((Deno.memoryUsage().rss - before) / 2 ** 20);
const end = (line: string): void => {
  console.log(line);
  Deno.exit();
};
setTimeout(() => end("gone: the server reads no more"), 60_000);
let sent = 0;
while (growth() < 100) {
  if (sent > 2 ** 29) end(`gone: ${growth()} MiB more, for 512 MiB of one connection`);
  try {
    await writer.write(more);
    sent += more.length;
  } catch {
    end("gone: the server closed the connection");
  }
}
end(`fault: ${growth()} MiB more, for ${Math.round(sent / 2 ** 20)} MiB of one connection`);
