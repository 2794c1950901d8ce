import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { limitLife, runToEnd, spawn } from "../../support/child.ts";
import { eventually } from "../../support/eventually.ts";
import { withFolder } from "../../support/folder.ts";
import { freePort } from "../../support/free_port.ts";

const PAGE = Deno.readTextFileSync(new URL("../../../docs/instances.md", import.meta.url));
const NGINX = Deno.readTextFileSync(new URL("../../../deploy/nginx.conf", import.meta.url));

const AWAY = "ok; the store does not answer";

/** Block of a language in the section about an instance without the store. */
function block(language: string): string {
  const [, section = ""] = PAGE.split("## One instance without the store");
  const [, text] = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "s").exec(section) ?? [];
  assert(text !== undefined, `docs/instances.md has no such block of ${language}`);
  return text;
}

/** Two instances, by the text of their `/readyz`; each replies to other paths with its number. */
function startInstances(
  texts: string[],
  listen: readonly Deno.ServeUnixOptions[] | readonly Deno.ServeTcpOptions[],
): readonly Deno.HttpServer[] {
  return listen.map((options, i) =>
    Deno.serve(
      { ...options as Deno.ServeTcpOptions, onListen: () => {} },
      (request) =>
        new Response(new URL(request.url).pathname === "/readyz" ? texts[i]! : String(i)),
    )
  );
}

Deno.test("HAProxy takes an instance out that has no store, and keeps all when none has one", async () => {
  await withFolder(async (folder) => {
    const ports = [freePort(), freePort(), freePort()];
    const texts = ["ok", "ok"];
    const instances = startInstances(
      texts,
      ports.slice(1).map((port) => ({ hostname: "127.0.0.1", port })),
    );
    const config = block("haproxy")
      .replace(":8000", `127.0.0.1:${ports[0]}`)
      .replaceAll("10.0.0.1:8080 check", `127.0.0.1:${ports[1]} check inter 100`)
      .replaceAll("10.0.0.2:8080 check", `127.0.0.1:${ports[2]} check inter 100`);
    const timeouts = "defaults\n timeout connect 2s\n timeout client 9s\n timeout server 9s\n";
    Deno.writeTextFileSync(`${folder}/cfg`, `${timeouts}${config}`);
    const proxy = spawn("haproxy", {
      args: ["-db", "-f", `${folder}/cfg`],
      stdout: "null",
      stderr: "null",
    });
    limitLife(proxy);
    const answering = async (): Promise<string> => {
      const answers = new Set<string>();
      for (let i = 0; i < 8; i++) {
        const reply = await fetch(`http://127.0.0.1:${ports[0]}/`).catch(() => undefined);
        answers.add(await reply?.text() ?? "none");
      }
      return [...answers].sort().join(" ");
    };
    try {
      for (
        const [one, other, used] of [
          ["ok", "ok", "0 1"],
          ["ok", AWAY, "0"],
          [AWAY, "ok; a part of the store does not answer", "0 1"],
          [AWAY, "ok", "1"],
        ] as const
      ) {
        texts.splice(0, 2, one, other);
        await eventually(async () => await answering() === used, `${one}, ${other}: ${used}`);
      }
    } finally {
      proxy.kill();
      await proxy.status;
      await Promise.all(instances.map((instance) => instance.shutdown()));
    }
  });
});

Deno.test("nginx marks an instance as down that has no store, and none when none has one", async () => {
  await withFolder(async (folder) => {
    const texts = ["ok", "ok"];
    const sockets = [1, 2].map((number) => `${folder}/authenticator-${number}/socket`);
    sockets.forEach((path) => Deno.mkdirSync(path.replace("/socket", "")));
    const instances = startInstances(texts, sockets.map((path) => ({ path })));
    const conf = `${folder}/nginx.conf`;
    Deno.writeTextFileSync(conf, NGINX);
    // No block of `sh`, which ends at its first failure: here an instance that fails is an answer.
    const script = block("bash")
      .replace("/etc/nginx/conf.d/nginx.conf", conf)
      .replace("/run/", `${folder}/`)
      .replace("nginx -s reload", `echo reloaded`);
    const down = (): readonly boolean[] =>
      [1, 2].map((number) =>
        new RegExp(`authenticator-${number}/socket max_fails=0 down;`).test(
          Deno.readTextFileSync(conf),
        )
      );
    try {
      for (
        const [one, other, downs] of [
          ["ok", "ok", [false, false]],
          ["ok", AWAY, [false, true]],
          [AWAY, "ok", [true, false]],
          [AWAY, "Not ready.", [false, false]],
        ] as const
      ) {
        texts.splice(0, 2, one, other);
        const before = Deno.readTextFileSync(conf);
        const { code, stdout, stderr } = await runToEnd(["sh", "-c", script]);
        assertEquals([code, stderr], [0, ""]);
        assertEquals(down(), [...downs]);
        const isChanged = Deno.readTextFileSync(conf) !== before;
        assertEquals(stdout, isChanged ? "reloaded\n" : "");
      }
      assertEquals(Deno.readTextFileSync(conf), NGINX);
    } finally {
      await Promise.all(instances.map((instance) => instance.shutdown()));
    }
  });
});
