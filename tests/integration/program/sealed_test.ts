/** Sealed secrets of a table: sealed half-way, on two servers, with keys that are rotated. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { runCommand } from "../../support/command.ts";
import { withFolder } from "../../support/folder.ts";
import { type RunningProgram, withProgram } from "../../support/program.ts";
import { pinOf, wrongPinOf } from "../../support/reference_totp.ts";
import { writeCall } from "../../support/calls.ts";

/** Rows of the table: an id, and a secret. */
const SECRETS = Array.from({ length: 40 }, (_, i) => `canary ${i} Bü©hse 🔑`);
const OLD = `old:${"0123456789abcdef".repeat(4)}`;
const NO_KEY = "secretCode is sealed, and this server cannot open it.";

type Binding = "HTTP GET" | "SOAP 1.1";

async function check(
  { url }: RunningProgram,
  binding: Binding,
  pin: string,
  secretCode: string,
): Promise<string> {
  const { path, ...init } = writeCall(binding, "ValidatePin", { pin, secretCode });
  const reply = await fetch(`${url}${path}`, init);
  const text = await reply.text();
  return />(true|false)</.exec(text)?.[1] ?? `${reply.status} ${text}`;
}

async function seal(keys: string, table: readonly string[]): Promise<readonly string[]> {
  const stdin = table.map((secret, i) => `${i},${secret}\n`).join("") + "end\n";
  const args = ["seal", "--csv", "--seal-keys-file", keys];
  const { code, stdout, stderr } = await runCommand(args, { stdin });
  assertEquals(code, 0, stderr);
  return stdout.trimEnd().split("\n").slice(0, -1).map((line, i) => {
    const [secret, id] = line.split(/"(?:,")?/).slice(1);
    assertEquals(id, String(i));
    return secret!;
  });
}

Deno.test("a table is sealed half-way, and its keys are rotated on two servers without a wrong answer", async () => {
  await withFolder(async (folder) => {
    // Each server has a file of its own: the first one is changed, and copied.
    const [file, copy] = [`${folder}/keys`, `${folder}/copy`];
    const put = (...lines: readonly string[]): void => {
      for (const path of [file, copy]) {
        Deno.writeTextFileSync(`${path}.next`, `${lines.join("\n")}\n`, { mode: 0o600 });
        Deno.renameSync(`${path}.next`, path);
      }
    };
    put(OLD);
    const argsWith = (path: string): string[] => ["--port", "0", "--seal-keys-file", path];
    await withProgram(argsWith(file), async (one) => {
      await withProgram(argsWith(copy), async (other) => {
        const servers = [one, other];
        const reload = async (name: string): Promise<void> => {
          for (const server of servers) {
            server.signal("SIGHUP");
            await server.logged(name);
          }
        };
        const checkAll = async (table: readonly string[]): Promise<void> => {
          for (const [i, stored] of table.entries()) {
            const server = servers[i % 2]!;
            const binding = i % 4 < 2 ? "HTTP GET" : "SOAP 1.1";
            const answers = [
              await check(server, binding, pinOf(SECRETS[i]!), stored),
              await check(server, binding, wrongPinOf(SECRETS[i]!), stored),
            ];
            assertEquals(answers, ["true", "false"], `row ${i}`);
          }
        };
        const sealed = await seal(file, SECRETS);
        const half = SECRETS.map((secret, i) => i % 3 === 0 ? secret : sealed[i]!);
        await checkAll(half);
        assertEquals((await runCommand(["keygen", "seal", file])).code, 0);
        const made = Deno.readTextFileSync(file).trimEnd().split("\n")[1]!;
        const [name] = made.split(":");
        put(OLD, made);
        await reload(`the seal keys were read again: 2 keys: old, ${name}`);
        await checkAll(half);
        put(made, OLD);
        await reload(`the seal keys were read again: 2 keys: ${name}, old`);
        const resealed = await seal(file, half);
        const [prefix] = resealed[0]!.split("..");
        assert(resealed.every((each) => each.startsWith(`${prefix}..`)));
        await checkAll(half.map((stored, i) => i % 2 === 0 ? stored : resealed[i]!));
        put(made);
        await reload(`the seal keys were read again: 1 key: ${name}`);
        await checkAll(resealed);
        assert((await check(one, "HTTP GET", "1", sealed[1]!)).includes(NO_KEY));
        put(made, "canary");
        await reload(
          "the old seal keys are kept: the file of --seal-keys-file cannot be used: line 2",
        );
        await checkAll(resealed.slice(0, 2));
        const body = new URLSearchParams({ secretCode: "canary" });
        const reply = await fetch(`${one.url}/seal`, { method: "POST", body });
        const fresh = await reply.text();
        assert(fresh.startsWith(`${prefix}..`), fresh);
        for (const server of servers) server.signal("SIGTERM");
        const logs = (await Promise.all(servers.map(({ outcome }) => outcome)))
          .map(({ stderr }) => stderr).join("");
        assert(/ unopened=no-key-of-that-name /.test(logs), logs);
        const values = [
          "canary",
          prefix,
          ...[...sealed, ...resealed].map((each) => each.slice(60)),
        ];
        assertEquals(values.filter((value) => logs.includes(value!)), []);
        assert(!/[0-9a-f]{64}/i.test(logs));
      });
    });
  });
});
