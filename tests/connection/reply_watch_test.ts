import { Buffer } from "node:buffer";
import { assertEquals } from "@std/assert/equals";
import { LARGER, ReplyWatch } from "../../lib/connection/reply_watch.ts";

function isTooLarge(...chunks: readonly string[]): boolean {
  const watch = new ReplyWatch();
  return chunks.map((chunk) => watch.isTooLarge(Buffer.from(chunk, "latin1"))).includes(true);
}

// What a store of ours says.
const FITTING: readonly string[] = [
  "+OK\r\n",
  "*3\r\n:2\r\n:3600000\r\n:123456789\r\n",
  "$24\r\n5:1800000000000:60000000\r\n",
  "*2\r\n$10\r\n1800000000\r\n$6\r\n999999\r\n",
  "-MOVED 16383 127.0.0.1:30001\r\n",
  "$99999\r\n",
  "-WRONGPASS invalid username-password pair or user is disabled.\r\n",
  "-NOAUTH Authentication required.\r\n",
  "-OOM command not allowed when used memory > 'maxmemory'.\r\n",
  "-READONLY You can't write against a read only replica.\r\n",
  "-MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.\r\n",
  "-LOADING Redis is loading the dataset in memory\r\n",
  "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n",
  "-NOSCRIPT No matching script. Please use EVAL.\r\n",
  "-ERR max number of clients reached\r\n",
];

const TOO_LARGE: readonly string[] = [
  "*100\r\n",
  "*4294967296\r\n",
  "*3\r\n:0\r\n*99999999\r\n",
  "%1000\r\n",
  "~1000\r\n",
  ">1000\r\n",
  "|1000\r\n",
  "$100000\r\n",
  "=100000\r\n",
  "!100000\r\n",
  // Where the client does not see whether a line has ended.
  "+OK\rX*99999999\r\n",
  "$2\r\nOKXX*99999999\r\n",
];

Deno.test("ReplyWatch lets pass what a store of ours says, however it is cut", () => {
  for (const text of FITTING) {
    assertEquals([isTooLarge(text.repeat(9)), isTooLarge(...text)], [false, false], text);
  }
});

Deno.test("ReplyWatch notices the length of what is too large, however it is cut", () => {
  for (const text of TOO_LARGE) {
    assertEquals([isTooLarge(`+OK\r\n${text}`), isTooLarge(...text)], [true, true], text);
  }
});

Deno.test("ReplyWatch notices a reply that does not end, and none that did", () => {
  const chunk = Buffer.alloc(60_000);
  const endless = new ReplyWatch();
  const read = new ReplyWatch();
  const seen = Array.from({ length: 18 }, () => {
    read.reset();
    return [endless.isTooLarge(chunk), read.isTooLarge(chunk)];
  });
  assertEquals(seen.slice(16), [[false, false], [true, false]]);
});

Deno.test("ReplyWatch takes 1,048,576 bytes for a reply, and not one more", () => {
  const watch = new ReplyWatch();
  assertEquals(watch.isTooLarge(Buffer.alloc(1_048_576)), false);
  assertEquals(watch.isTooLarge(Buffer.alloc(1)), true);
});

Deno.test("ReplyWatch lets pass what a Cluster says of its slots", () => {
  const isTooLarge = (text: string): boolean =>
    new ReplyWatch(LARGER).isTooLarge(Buffer.from(text, "latin1"));
  const fitting = ["*9999\r\n", "*3\r\n:1\r\n", "$99999\r\n", ">1000\r\n"];
  assertEquals(fitting.filter(isTooLarge), []);
  const large = [..."*%~>|"].map((type) => `${type}10000\r\n`);
  const long = [..."$=!"].map((type) => `${type}100000\r\n`);
  assertEquals([...large, ...long].filter(isTooLarge), [...large, ...long]);
});
