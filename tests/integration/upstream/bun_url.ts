// deno-lint-ignore-file no-console
import { Buffer } from "node:buffer";
import { connect } from "node:net";
import process from "node:process";

const urls: string[] = [];
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: ({ url }) => {
    urls.push(new URL(url).search);
    if (urls.length === 2) end();
    return new Response("ok");
  },
});

// Two queries of one byte each, of which neither is UTF-8.
const socket = connect(server.port!, "127.0.0.1", () => {
  for (const byte of ["\xE4", "\xF6"]) {
    socket.write(Buffer.from(`GET /?${byte} HTTP/1.1\r\nHost: localhost\r\n\r\n`, "latin1"));
  }
});

function end(): void {
  const [first, second] = urls;
  console.log(`${first === second ? "fault" : "gone"}: ?\\xE4 is ${first}, ?\\xF6 is ${second}`);
  process.exit();
}
