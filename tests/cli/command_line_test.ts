import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { type Command, parseCommand, usage } from "../../lib/cli/command_line.ts";

function parse(args: readonly string[], env: Readonly<Record<string, string>> = {}): Command {
  return parseCommand(args, (name) => env[name]);
}

Deno.test("parseCommand() says to check where each value is from", () => {
  const env = { AUTHENTICATOR_PORT: "1", AUTHENTICATOR_TRUST_PROXY: "true" };
  const command = parse(["check", "--port", "2"], env);
  assert(command.kind === "check");
  assertEquals(
    ["port", "trustProxy", "host"].map((name) => command.sources.get(name)),
    ["flag", "environment", "default"],
  );
});

Deno.test("parseCommand() takes a value that begins with hyphens behind an equals sign", () => {
  const command = parse(["pair", "--app-name=--x", "--app-info=-"]);
  assert(command.kind === "pair");
  assertEquals([command.options.appName, command.options.appInfo], ["--x", "-"]);
});

Deno.test("usage() has an example of every command", () => {
  const examples = usage().slice(usage().indexOf("Examples:"));
  for (const name of ["pair", "doctor", "healthcheck", "check"]) {
    assert(examples.includes(`authenticator ${name}`), name);
  }
});
