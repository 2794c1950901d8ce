/**
 * Instances started by hand behind nginx, as the comment of `deploy/nginx.conf` shows.
 *
 * @module
 */

import { assertEquals } from "@std/assert/equals";
import { need, runToEnd } from "../../support/child.ts";
import { eventually } from "../../support/eventually.ts";
import { sourceWords } from "../../support/program.ts";
import { startNginx } from "./nginx.ts";
import { type Daemon, deployFile, startDaemon } from "../../support/deploy.ts";
import { withFolder } from "../../support/folder.ts";

Deno.test("nginx reaches instances that are started by hand, and nothing else does", () =>
  withFolder(async (folder) => {
    await need(["getent", "group", "www-data"], "nginx");
    const comment = deployFile("nginx.conf").replaceAll("/run/", `${folder}/`);
    const [, install] = /^# {3}(install .*)$/m.exec(comment)!;
    const [, options] = /(--trust-proxy --socket \S+\/socket), or 2/.exec(comment)!;
    const words = install!.replace("USER", String(Deno.uid())).split(" ");
    assertEquals((await runToEnd(words)).code, 0);
    const servers: Daemon[] = [];
    try {
      for (const number of ["1", "2"]) {
        const args = options!.replace("/authenticator-1/", `/authenticator-${number}/`).split(" ");
        servers.push(startDaemon([...sourceWords(), ...args], `${folder}/server-${number}`));
      }
      const sockets = ["1", "2"].map((name) => `${folder}/authenticator-${name}/socket`);
      await eventually(async () => {
        const { stdout } = await runToEnd(["stat", "--format=%G %a", ...sockets]);
        return stdout === "www-data 660\n".repeat(sockets.length);
      }, "both sockets belong to the group of nginx");
      const folders = sockets.map((path) => path.replace("/socket", ""));
      const { stdout } = await runToEnd(["stat", "--format=%G %a", ...folders]);
      assertEquals(stdout, "www-data 2750\n".repeat(2));
      const proxy = await startNginx(folder, sockets.map((path) => `unix:${path}`));
      const reply = await fetch(`${proxy.url}/Validate.aspx?Pin=1&SecretCode=abcdefghij`);
      const said = await reply.text();
      await proxy.stop();
      assertEquals(said, "False");
    } finally {
      for (const server of servers) await server.stop();
    }
  }));
