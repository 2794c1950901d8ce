import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import {
  type Config,
  flagOf,
  OPTIONS,
  parseCommand,
  usage,
  UsageError,
  variableOf,
} from "../lib/config.ts";

function parse(args: readonly string[], env: Readonly<Record<string, string>> = {}): Config {
  const command = parseCommand(args, (name) => env[name]);
  assert(command.kind === "serve");
  return command.config;
}

function errorOf(args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  return assertThrows(() => parse(args, env), UsageError).message;
}

Deno.test("parseCommand() gives every default", () => {
  assertEquals(parse([]), {
    host: "127.0.0.1",
    port: 8080,
    namespace: "http://authenticatorapi.com/",
    baseUrl: undefined,
    trustProxy: false,
    window: 1,
    algorithm: "SHA1",
    digits: 6,
    period: 30,
    secretEncoding: "text",
    maxFailures: 100,
  });
});

// Every option: what is typed, and what becomes of it.
const VALUES: { readonly [Name in keyof Config]: readonly (readonly [string, Config[Name]])[] } = {
  host: [["0.0.0.0", "0.0.0.0"], ["::1", "::1"], ["localhost", "localhost"]],
  port: [["0", 0], ["65535", 65535]],
  namespace: [["http://tempuri.org/", "http://tempuri.org/"], [
    "urn:example:pin/",
    "urn:example:pin/",
  ]],
  baseUrl: [
    ["https://pin.example.com", "https://pin.example.com"],
    ["https://pin.example.com:8443/auth/", "https://pin.example.com:8443/auth"],
    ["http://[::1]:8080", "http://[::1]:8080"],
    ["", undefined],
  ],
  trustProxy: [["true", true], ["1", true], ["false", false], ["0", false]],
  window: [["0", 0], ["100", 100]],
  algorithm: [["SHA256", "SHA256"], ["sha512", "SHA512"], ["SHA-1", "SHA1"]],
  digits: [["6", 6], ["8", 8]],
  period: [["1", 1], ["3600", 3600]],
  secretEncoding: [["text", "text"], ["base32", "base32"]],
  maxFailures: [["0", 0], ["5", 5], ["1000000", 1_000_000]],
};

const REFUSED: { readonly [Name in keyof Config]: readonly string[] } = {
  host: ["", "a b", "http://x", "<x>"],
  port: ["", "-1", "65536", "8080x", "1e3", "0x50"],
  namespace: [
    "",
    "http://example.com",
    "example.com/",
    "http://ex ample/",
    "http://é/",
    'http://"/',
  ],
  baseUrl: [
    "pin.example.com",
    "ftp://x",
    "http://x?y",
    "http://x#y",
    "http://<x>",
    "http://a'b",
    "http://",
  ],
  trustProxy: ["yes", "TRUE", "2"],
  window: ["-1", "101", "1.5", ""],
  algorithm: ["", "MD5", "SHA384"],
  digits: ["5", "9"],
  period: ["0", "3601"],
  secretEncoding: ["", "hex", "BASE64"],
  maxFailures: ["-1", "1000001"],
};

for (const name of Object.keys(OPTIONS) as (keyof Config)[]) {
  const isSwitch = OPTIONS[name].placeholder === undefined;

  Deno.test(`parseCommand() takes ${flagOf(name)} and ${variableOf(name)}`, () => {
    for (const [typed, value] of VALUES[name]) {
      if (!isSwitch) assertEquals(parse([flagOf(name), typed])[name], value);
      assertEquals(parse([`${flagOf(name)}=${typed}`])[name], value);
      assertEquals(parse([], { [variableOf(name)]: typed })[name], value);
    }
  });

  Deno.test(`parseCommand() names ${flagOf(name)} and what is expected, never the value`, () => {
    for (const typed of REFUSED[name]) {
      const expected = `must be ${OPTIONS[name].expected}`;
      assertEquals(errorOf([`${flagOf(name)}=${typed}`]), `${flagOf(name)} ${expected}`);
      const variable = variableOf(name);
      assertEquals(errorOf([], { [variable]: typed }), `${variable} ${expected}`);
    }
  });
}

Deno.test("parseCommand() lets a flag win over its variable", () => {
  assertEquals(parse(["--port", "1"], { AUTHENTICATOR_PORT: "2" }).port, 1);
  assertEquals(parse(["--trust-proxy"], { AUTHENTICATOR_TRUST_PROXY: "false" }).trustProxy, true);
});

Deno.test("parseCommand() takes the command serve and nothing else", () => {
  assertEquals(parse(["serve", "--port", "1"]).port, 1);
  assertEquals(errorOf(["start"]), "the only command is serve; options begin with --");
  assertEquals(
    errorOf(["--port", "1", "serve"]),
    "the only command is serve; options begin with --",
  );
});

Deno.test("parseCommand() says what is wrong with a flag", () => {
  assertEquals(errorOf(["--prot", "1"]), "there is no option --prot");
  assertEquals(errorOf(["--port"]), "--port needs a value: PORT");
  assertEquals(errorOf(["--port", "--window", "1"]), "--port needs a value: PORT");
});

Deno.test("parseCommand() asks for help and version", () => {
  for (const flag of ["--help", "-h"]) {
    assertEquals(parseCommand([flag], () => undefined), { kind: "help" });
  }
  for (const flag of ["--version", "-V"]) {
    assertEquals(parseCommand([flag], () => undefined), { kind: "version" });
  }
});

Deno.test("usage() names every option with its default, on one screen", () => {
  const text = usage();
  for (const name of Object.keys(OPTIONS) as (keyof Config)[]) {
    const { description, defaultText, placeholder } = OPTIONS[name];
    assert(text.includes(`${flagOf(name)} ${placeholder ?? ""}`.trimEnd()), name);
    assert(text.includes(description), name);
    if (placeholder !== undefined) assert(text.includes(defaultText), name);
  }
  assert(text.split("\n").length <= 40);
  assert(text.split("\n").every((line) => line.length <= 110));
});
