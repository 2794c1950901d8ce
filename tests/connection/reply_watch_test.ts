import { Buffer } from "node:buffer";
import { assertEquals } from "@std/assert/equals";
import { ReplyWatch } from "../../lib/connection/reply_watch.ts";

function isNone(...chunks: readonly string[]): boolean {
  const watch = new ReplyWatch();
  return chunks.map((chunk) => watch.isNone(Buffer.from(chunk, "latin1"))).includes(true);
}

// What a store of ours says.
const FITTING: readonly string[] = [
  "+OK\r\n",
  "*3\r\n:2\r\n:3600000\r\n:123456789\r\n",
  "*3\r\n:-1\r\n$-1\r\n*-1\r\n",
  "$24\r\n5:1800000000000:60000000\r\n",
  "$0\r\n\r\n",
  "*0\r\n",
  "$7\r\n$9\r\n*\xff\n\r\n",
  "*2\r\n$10\r\n1800000000\r\n$6\r\n999999\r\n",
  "*2\r\n*4\r\n:0\r\n:8191\r\n*3\r\n$0\r\n\r\n:7000\r\n$2\r\nid\r\n*0\r\n*0\r\n",
  "-MOVED 16383 127.0.0.1:30001\r\n",
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

// What is no RESP 2, although the client reads it as something.
const NONE: readonly string[] = [
  // Any byte is a digit to it. A length of -6 sends it back to what it has read.
  "$*\r\n",
  "*zzzz\r\n",
  "*3\r\n:0\r\n*\xff\xff\xff\xff\r\n",
  ":x\r\n",
  ":-x\r\n",
  "*+1\r\n",
  // It looks neither for the digits behind a minus nor for the ends of lines.
  "$-2\r\n",
  "$-\r\n",
  "*-12\r\n",
  "+OK\rX",
  "+OK\n",
  ":1\rX",
  // Types of RESP 3, which nobody asked for.
  ..."_#,(=!~%>|".split("").map((type) => `${type}1\r\n`),
  "\0",
  "\r\n",
  "OK\r\n",
];

Deno.test("ReplyWatch lets pass what a store of ours says, however it is cut", () => {
  for (const text of FITTING) {
    assertEquals([isNone(text.repeat(9)), isNone(...text.repeat(2))], [false, false], text);
  }
});

Deno.test("ReplyWatch notices what is no reply, however it is cut", () => {
  for (const text of NONE) {
    assertEquals([isNone(`+OK\r\n${text}`), isNone(...text)], [true, true], text);
  }
});

Deno.test("ReplyWatch notices it before the line has ended", () => {
  assertEquals(
    [isNone("$*"), isNone("*1z"), isNone("*999999\r"), isNone("%")],
    Array(4).fill(true),
  );
});

Deno.test("ReplyWatch takes 4,096 bytes for a line, and not one more", () => {
  for (const most of [`+${"x".repeat(4_093)}\r\n`, `$${"0".repeat(4_093)}\r\n`]) {
    const [type, rest] = [most.slice(0, 1), most.slice(1)];
    assertEquals([isNone(most), isNone(`${type}0${rest}`)], [false, true], type);
  }
});

// The line itself and the end of a text count, and each element of an array for three bytes.
const LARGEST: readonly (readonly [string, string])[] = [
  ["$1048564\r\n", "$1048565\r\n"],
  ["*349522\r\n", "*349523\r\n"],
  ["*4\r\n*349517\r\n", "*4\r\n*349518\r\n"],
];

Deno.test("ReplyWatch takes 1,048,576 bytes for a reply, announced ones too, and not one more", () => {
  for (const [largest, tooLarge] of LARGEST) {
    assertEquals([isNone(largest), isNone(tooLarge)], [false, true], largest.slice(0, 20));
  }
});

Deno.test("ReplyWatch notices a reply that does not end, and none that did", () => {
  const chunk = Buffer.from(`$59989\r\n${"x".repeat(59_989)}\r\n`);
  const endless = new ReplyWatch();
  const read = new ReplyWatch();
  const seen = Array.from({ length: 18 }, () => {
    read.reset();
    return [endless.isNone(chunk), read.isNone(chunk)];
  });
  assertEquals(seen.slice(16), [[false, false], [true, false]]);
});
