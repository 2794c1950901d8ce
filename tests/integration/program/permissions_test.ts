import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { main } from "../../../main.ts";
import { runToEnd } from "../../support/child.ts";
import project from "../../../deno.json" with { type: "json" };
import { runCommand, sink, withProcess } from "../../support/command.ts";

const ADVICE =
  "authenticator: error: Deno was not given the permissions that this program needs. Start it with deno task start, or any other command with deno task cli.\n";

const COMMANDS = [
  [],
  ["serve", "--port", "0"],
  ["check"],
  ["pair", "--app-name", "A", "--app-info", "me", "--new-secret"],
  ["code"],
  ["doctor"],
  ["compare", "http://127.0.0.1:1"],
  ["healthcheck"],
  ["status"],
];

Deno.test("every command without permissions prints one line with the command that has them", async () => {
  for (const args of COMMANDS) {
    const { code, stdout, stderr } = await runCommand(args, { permissions: [] });
    assertEquals([code, stdout, stderr], [1, "", ADVICE], args.join(" "));
  }
});

Deno.test("the line is the same where Deno could prompt for permissions without a terminal", async () => {
  const words = [Deno.execPath(), "run", "--quiet", "--lock=runtime.lock", "--frozen", "main.ts"];
  const { code, stdout, stderr } = await runToEnd(words, {
    cwd: new URL("../../../", import.meta.url),
    env: { NO_COLOR: "1" },
  });
  assertEquals([code, stdout, stderr], [1, "", ADVICE]);
});

Deno.test("the tasks that it names are there, and run any command", () => {
  const tasks: Readonly<Record<string, { readonly command: string }>> = project.tasks;
  const named = [...ADVICE.matchAll(/deno task (\w+)/g)].map(([, name]) => name!);
  assertEquals(named, ["start", "cli"]);
  for (const name of named) assert(tasks[name]?.command.endsWith(" main.ts"), name);
});

Deno.test("a permission that one option lacks is named with that option", async () => {
  const { code, stderr } = await runCommand(["code", "--secret-file", "/nowhere"], {
    permissions: ["--allow-env"],
  });
  assertEquals([code, stderr], [
    1,
    "authenticator: error: cannot read /nowhere: the program was started without the permission.\n",
  ]);
});

Deno.test("what needs no permission works without", async () => {
  const { code, stderr } = await runCommand(["--version"], { permissions: [] });
  assertEquals([code, stderr], [0, ""]);
});

Deno.test("an unexpected error is one sentence with its name, and exits with 1", async () => {
  const env = new Proxy({}, {
    get: () => {
      throw new RangeError("canary");
    },
  });
  let said = "";
  const stderr = sink((text) => void (said += text));
  const code = await withProcess({ env, stderr }, () => main(["check"]));
  assertEquals([code, said], [1, "authenticator: error: the program failed with RangeError.\n"]);
});
