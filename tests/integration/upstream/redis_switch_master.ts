// deno-lint-ignore-file no-console
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import process from "node:process";
import { createSentinel } from "@redis/client";

// A Sentinel, and the primary that it names: enough of them for the client to connect.
const server = createServer((socket) => {
  socket.on("data", (data) => {
    for (const command of String(data).split(/^\*\d+\r\n/m).slice(1)) answer(command);
  });
  const answer = (command: string): void => {
    const words = command.split("\r\n").filter((_line, i) => i % 2 === 1);
    const [name, subcommand] = words.map((word) => word.toUpperCase());
    if (name === "PSUBSCRIBE") end(words.slice(1));
    const { port } = server.address() as AddressInfo;
    const master = ["name", "primary", "ip", "127.0.0.1", "port", String(port), "flags", "master"];
    const array = (texts: string[]): string =>
      `*${texts.length}\r\n${texts.map((text) => `$${text.length}\r\n${text}\r\n`).join("")}`;
    if (name !== "SENTINEL") socket.write("+OK\r\n");
    else if (subcommand === "MASTER") socket.write(array(master));
    else socket.write(array([]));
  };
});

server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  const sentinelRootNodes = [{ host: "127.0.0.1", port }];
  void createSentinel({ name: "primary", RESP: 2, sentinelRootNodes })
    .on("error", () => {}).connect().catch(() => {});
});

function end(patterns: readonly string[]): void {
  const hasPlus = patterns.some((pattern) => /^(?:\+|\[[-+]+\])switch-master$/.test(pattern));
  console.log(`${hasPlus ? "gone" : "fault"}: PSUBSCRIBE ${patterns.join(" ")}`);
  process.exit();
}
