/**
 * The address of a caller in the log, behind a proxy that is configured as `deploy/` shows: a field that
 * the caller forges is not in it.
 *
 * @module
 */

import { assertEquals } from "@std/assert/equals";
import { startProgram, stop } from "../../support/program.ts";
import type { Proxy } from "./canaries.ts";
import { startCaddy } from "./caddy.ts";
import { startNginx } from "./nginx.ts";
import { withFolder } from "../../support/folder.ts";

const PROXIES: readonly (readonly [
  name: string,
  start: (folder: string, upstreams: readonly [string, string]) => Promise<Proxy>,
])[] = [["nginx", startNginx], ["Caddy", startCaddy]];

for (const [name, start] of PROXIES) {
  Deno.test(`behind ${name}, the log has the address of the caller, not one that it sends`, () =>
    withFolder(async (folder) => {
      const program = await startProgram(["--port", "0", "--log-peer", "--trust-proxy"]);
      let proxy: Proxy | undefined;
      try {
        const { host } = new URL(program.url);
        proxy = await start(folder, [host, host]);
        const forged = [
          { "x-forwarded-for": "203.0.113.9" },
          { "x-forwarded-for": "203.0.113.9, 198.51.100.7" },
          { "forwarded": "for=203.0.113.9", "x-real-ip": "203.0.113.9" },
        ];
        for (const headers of forged) {
          const reply = await fetch(`${proxy.url}/Validate.aspx?Pin=1&SecretCode=a`, { headers });
          assertEquals(await reply.text(), "False");
        }
      } finally {
        await proxy?.stop();
        await stop(program);
      }
      const lines = (await program.outcome).stderr.split("\n")
        .filter((line) => line.includes("route=validate.aspx"));
      assertEquals(lines.map((line) => / peer=(\S+)/.exec(line)?.[1]), Array(3).fill("127.0.0.1"));
    }));
}
