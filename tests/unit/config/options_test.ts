import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import { parseCommand } from "../../../lib/cli/args/parse.ts";
import type { Config } from "../../../lib/config/options.ts";
import { flagOf, namesOf, UsageError, variableOf } from "../../../lib/config/option.ts";
import { OPTIONS } from "../../../lib/config/options.ts";
import { StoreUrl } from "../../../lib/guard/redis/store_url.ts";

function parse(args: readonly string[], env: Readonly<Record<string, string>> = {}): Config {
  const command = parseCommand(args, (name) => env[name]);
  assert(command.kind === "serve");
  return command.config;
}

function errorOf(args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  return assertThrows(() => parse(args, env), UsageError).message;
}

Deno.test("parseCommand() returns every default", () => {
  assertEquals(parse([]), {
    host: "127.0.0.1",
    port: 8080,
    socket: undefined,
    sharePort: false,
    socketMode: 0o660,
    tlsCert: undefined,
    tlsKey: undefined,
    namespace: "http://authenticatorapi.com/",
    baseUrl: undefined,
    trustProxy: false,
    apiKeysFile: undefined,
    sealKeysFile: undefined,
    metrics: false,
    metricsPort: undefined,
    metricsHost: "127.0.0.1",
    logFormat: "text",
    logPeer: false,
    logProbes: false,
    exitWithParent: false,
    html: "svg",
    window: 1,
    algorithm: "SHA1",
    digits: 6,
    period: 30,
    secretEncoding: "text",
    maxFailures: 100,
    singleUse: false,
    guard: "memory",
    guardEntries: 100_000,
    guardKeyFile: undefined,
    guardPasswordFile: undefined,
    guardTlsCa: undefined,
    guardTlsCert: undefined,
    guardTlsKey: undefined,
  });
});

function storeUrl(text: string): readonly [string, StoreUrl] {
  const url = StoreUrl.parse(text);
  assert(url instanceof StoreUrl);
  return [text, url];
}

const ADDRESSES = [
  ["0.0.0.0", "0.0.0.0"],
  ["::", "::"],
  ["::1", "::1"],
  ["::ffff:127.0.0.1", "::ffff:127.0.0.1"],
  ["localhost", "localhost"],
] as const;
const NO_ADDRESS = [
  "a b",
  "http://x",
  "<x>",
  "localhost:80",
  "127.0.0.1:80",
  "::1:x",
  "fe80::1%lo",
];
const NO_PORT = ["-1", "65536", "8080x", "1e3", "0x50"];
const SWITCH_VALUES = [["true", true], ["1", true], ["false", false], ["0", false], [
  "",
  false,
]] as const;
const NO_SWITCH = ["yes", "TRUE", "2"];

// Every option: what is typed, and what becomes of it.
const VALUES: { readonly [Name in keyof Config]: readonly (readonly [string, Config[Name]])[] } = {
  host: ADDRESSES,
  port: [["0", 0], ["65535", 65535]],
  socket: [["/run/pin/pin.sock", "/run/pin/pin.sock"], ["", undefined]],
  sharePort: SWITCH_VALUES,
  socketMode: [["0660", 0o660], ["666", 0o666], ["000", 0], ["0777", 0o777]],
  tlsCert: [["", undefined]],
  tlsKey: [["", undefined]],
  namespace: [["http://tempuri.org/", "http://tempuri.org/"], [
    "urn:example:pin/",
    "urn:example:pin/",
  ]],
  baseUrl: [
    ["https://pin.example.com", "https://pin.example.com"],
    ["https://pin.example.com//", "https://pin.example.com"],
    ["https://pin.example.com:8443/auth/", "https://pin.example.com:8443/auth"],
    ["http://[::1]:8080", "http://[::1]:8080"],
    ["", undefined],
  ],
  trustProxy: SWITCH_VALUES,
  apiKeysFile: [["/etc/pin/keys", "/etc/pin/keys"], ["", undefined]],
  sealKeysFile: [["/etc/pin/seal", "/etc/pin/seal"], ["", undefined]],
  metrics: SWITCH_VALUES,
  metricsPort: [["0", 0], ["65535", 65535], ["", undefined]],
  metricsHost: ADDRESSES,
  logFormat: [["text", "text"], ["json", "json"]],
  logPeer: SWITCH_VALUES,
  logProbes: SWITCH_VALUES,
  exitWithParent: SWITCH_VALUES,
  html: [["svg", "svg"], ["image", "image"]],
  window: [["0", 0], ["100", 100]],
  algorithm: [["SHA256", "SHA256"], ["sha512", "SHA512"], ["SHA-1", "SHA1"]],
  digits: [["6", 6], ["8", 8]],
  period: [["1", 1], ["3600", 3600]],
  secretEncoding: [["text", "text"], ["base32", "base32"]],
  maxFailures: [["0", 0], ["5", 5], ["1000000", 1_000_000]],
  singleUse: SWITCH_VALUES,
  guard: [
    ["memory", "memory"],
    storeUrl("redis://127.0.0.1:6379"),
    storeUrl("rediss://pin:pass@store.example.com/2"),
  ],
  guardEntries: [["1", 1], ["10000000", 10_000_000]],
  guardKeyFile: [["/etc/pin/guard", "/etc/pin/guard"], ["", undefined]],
  guardPasswordFile: [["", undefined]],
  guardTlsCa: [["", undefined]],
  guardTlsCert: [["", undefined]],
  guardTlsKey: [["", undefined]],
};

const REFUSED: { readonly [Name in keyof Config]: readonly string[] } = {
  host: NO_ADDRESS,
  port: NO_PORT,
  socket: ["a\0b"],
  sharePort: NO_SWITCH,
  socketMode: ["660x", "x660", "0888", "66", "1777", "00660"],
  tlsCert: ["a\0b"],
  tlsKey: ["a\0b"],
  namespace: [
    "http://example.com",
    "example.com/",
    "http://ex ample/",
    "http://é/",
    'http://"/',
    "http://www.w3.org/2000/xmlns/",
    "http://schemas.xmlsoap.org/soap/envelope/",
    "1http://example.com/",
  ],
  baseUrl: [
    "pin.example.com",
    "ftp://x",
    "xhttp://x",
    "http://x/y?z",
    "http://x?y",
    "http://x#y",
    "http://<x>",
    "http://a'b",
    "http://",
    "http://1.2.3.4.5",
    "http://xn--a",
  ],
  trustProxy: NO_SWITCH,
  apiKeysFile: ["a\0b"],
  sealKeysFile: ["a\0b"],
  metrics: NO_SWITCH,
  metricsPort: NO_PORT,
  metricsHost: NO_ADDRESS,
  logFormat: ["xml", "JSON"],
  logPeer: NO_SWITCH,
  logProbes: NO_SWITCH,
  exitWithParent: NO_SWITCH,
  html: ["png", "SVG"],
  window: ["-1", "101", "1.5"],
  algorithm: ["MD5", "SHA384"],
  digits: ["5", "9"],
  period: ["0", "3601"],
  secretEncoding: ["hex", "BASE64"],
  maxFailures: ["-1", "1000001"],
  singleUse: NO_SWITCH,
  guard: ["disk", "http://127.0.0.1", "redis:", "redis://", "redis://h/a#b"],
  guardEntries: ["0", "10000001"],
  guardKeyFile: ["a\0b"],
  guardPasswordFile: ["a\0b"],
  guardTlsCa: ["a\0b"],
  guardTlsCert: ["a\0b"],
  guardTlsKey: ["a\0b"],
};

const A_SWITCH = "true, 1, false or 0";
const AN_ADDRESS = "an IP address or a host name, without a port";
const A_PORT = "a whole number from 0 to 65535";
const A_FILE = "the path of a file";
const EXPECTED: { readonly [Name in keyof Config]: string } = {
  host: AN_ADDRESS,
  port: A_PORT,
  socket: "the path of a socket",
  sharePort: A_SWITCH,
  socketMode: "three or four octal digits",
  tlsCert: A_FILE,
  tlsKey: A_FILE,
  namespace: "an absolute URI that ends with a slash",
  baseUrl: "an http or https URL without user name, query and fragment",
  trustProxy: A_SWITCH,
  apiKeysFile: A_FILE,
  sealKeysFile: A_FILE,
  metrics: A_SWITCH,
  metricsPort: A_PORT,
  metricsHost: AN_ADDRESS,
  logFormat: "text or json",
  logPeer: A_SWITCH,
  logProbes: A_SWITCH,
  exitWithParent: A_SWITCH,
  html: "svg or image",
  window: "a whole number from 0 to 100",
  algorithm: "SHA1, SHA256 or SHA512",
  digits: "a whole number from 6 to 8",
  period: "a whole number from 1 to 3600",
  secretEncoding: "text or base32",
  maxFailures: "a whole number from 0 to 1000000",
  singleUse: A_SWITCH,
  guard: "either memory, or a URL of redis, redis+sentinel or redis+cluster, with rediss for TLS",
  guardEntries: "a whole number from 1 to 10000000",
  guardKeyFile: A_FILE,
  guardPasswordFile: A_FILE,
  guardTlsCa: A_FILE,
  guardTlsCert: A_FILE,
  guardTlsKey: A_FILE,
};

for (const name of namesOf(OPTIONS)) {
  const isSwitch = OPTIONS[name].placeholder === undefined;

  Deno.test(`parseCommand() accepts ${flagOf(name)} and ${variableOf(name)}`, () => {
    for (const [typed, value] of VALUES[name]) {
      assertEquals(parse([], { [variableOf(name)]: typed })[name], value);
      if (typed === "") continue;
      if (!isSwitch) assertEquals(parse([flagOf(name), typed])[name], value);
      assertEquals(parse([`${flagOf(name)}=${typed}`])[name], value);
    }
  });

  Deno.test(`parseCommand() names ${flagOf(name)} and the expected value, never the given one`, () => {
    for (const typed of REFUSED[name]) {
      const expected = `must be ${EXPECTED[name]}`;
      assertEquals(errorOf([`${flagOf(name)}=${typed}`]), `${flagOf(name)} ${expected}`);
      const variable = variableOf(name);
      assertEquals(errorOf([], { [variable]: typed }), `${variable} ${expected}`);
    }
  });
}

// Of a shell's variable that is not set, `--api-keys-file "$KEYS"` is left with nothing.
Deno.test("parseCommand() refuses a flag whose value is empty", () => {
  for (const name of namesOf(OPTIONS)) {
    assertEquals(errorOf([`${flagOf(name)}=`]), `${flagOf(name)} must not be empty`);
  }
  assertEquals(errorOf(["--api-keys-file", ""]), "--api-keys-file must not be empty");
  assertEquals(errorOf(["doctor", "--at", ""]), "--at must not be empty");
  assertEquals(errorOf(["pair", "--secret-file="]), "--secret-file must not be empty");
});

Deno.test("parseCommand() treats an empty variable as one that is not set", () => {
  assertEquals(parse([], { AUTHENTICATOR_PORT: "", AUTHENTICATOR_NAMESPACE: "" }), parse([]));
});

Deno.test("parseCommand() lets a flag win over its variable", () => {
  assertEquals(parse(["--port", "1"], { AUTHENTICATOR_PORT: "2" }).port, 1);
  assertEquals(parse(["--port", "1"], { AUTHENTICATOR_PORT: "x" }).port, 1);
  const sentence = errorOf(["--port", "x"], { AUTHENTICATOR_PORT: "1" });
  assertEquals(sentence, "--port must be a whole number from 0 to 65535");
  assertEquals(parse(["--trust-proxy"], { AUTHENTICATOR_TRUST_PROXY: "false" }).trustProxy, true);
});

Deno.test("parseCommand() reports the invisible flaw of a value", () => {
  const sentence = "AUTHENTICATOR_PORT must be a whole number from 0 to 65535: its value ";
  const flaws = [
    ["\uFEFF8080", "begins with a byte order mark"],
    ["8080\n\n", "ends with a line break"],
    ["80\n80", "has a line break in it"],
    ['"8080"', "is in quotes"],
    [" 8080", "begins with white space"],
    ["8080\t", "ends with white space"],
  ];
  for (const [value, flaw] of flaws) {
    assertEquals(errorOf([], { AUTHENTICATOR_PORT: value! }), sentence + flaw);
  }
  for (const end of ["\n", "\r\n"]) {
    assertEquals(parse([], { AUTHENTICATOR_PORT: `8080${end}` }).port, 8080);
  }
});

Deno.test("parseCommand() accepts a file with the store's password beside a URL without one", () => {
  const file = ["--guard-password-file", "p"];
  assertEquals(parse(["--guard", "redis://user@store", ...file]).guardPasswordFile, "p");
  for (const guard of [[], ["--guard", "redis://:secret@store"]]) {
    const error = "--guard-password-file needs a URL without a password in --guard";
    assertEquals(errorOf([...guard, ...file]), error);
  }
});

Deno.test("parseCommand() accepts certificate and key together", () => {
  const { tlsCert, tlsKey } = parse(["--tls-cert", "c.pem", "--tls-key", "k.pem"]);
  assertEquals([tlsCert, tlsKey], ["c.pem", "k.pem"]);
  for (const one of ["--tls-cert", "--tls-key"]) {
    assertEquals(errorOf([one, "x.pem"]), "--tls-cert and --tls-key must be given together");
  }
});

Deno.test("parseCommand() accepts a client certificate and its key together, for a rediss:// store", () => {
  const store = ["--guard", "rediss://store"];
  const pair = ["--guard-tls-cert", "c.pem", "--guard-tls-key", "k.pem"];
  const { guardTlsCert, guardTlsKey } = parse([...store, ...pair]);
  assertEquals([guardTlsCert, guardTlsKey], ["c.pem", "k.pem"]);
  assertEquals(parse([...store, "--guard-tls-ca", "a.pem"]).guardTlsCa, "a.pem");
  for (const one of ["--guard-tls-cert", "--guard-tls-key"]) {
    const together = "--guard-tls-cert and --guard-tls-key must be given together";
    assertEquals(errorOf([...store, one, "x.pem"]), together);
  }
  for (const bare of [[], ["--guard", "redis://store"]]) {
    const needs = "needs a rediss:// URL in --guard";
    assertEquals(errorOf([...bare, ...pair]), `--guard-tls-cert ${needs}`);
    assertEquals(errorOf([...bare, "--guard-tls-ca", "a.pem"]), `--guard-tls-ca ${needs}`);
  }
});

Deno.test("parseCommand() names the flaw of a store's URL", () => {
  const [flag, variable] = ["--guard", "AUTHENTICATOR_GUARD"];
  const primary = "must be a URL of redis+sentinel that ends with the name of the primary: " +
    "redis+sentinel://host:26379/NAME";
  assertEquals(errorOf([flag, "redis+sentinel://h:26379"]), `${flag} ${primary}`);
  assertEquals(errorOf([], { [variable]: "redis+sentinel://h" }), `${variable} ${primary}`);
});

Deno.test("parseCommand() accepts a socket or a certificate, not both", () => {
  assertEquals(
    errorOf(["--socket", "a.sock", "--tls-cert", "c.pem", "--tls-key", "k.pem"]),
    "--socket and --tls-cert cannot be used together",
  );
});

Deno.test("parseCommand() accepts one port for callers and another for metrics", () => {
  const both = ["--port", "9000", "--metrics-port", "9000"];
  assertEquals(errorOf(both), "--port and --metrics-port must be different");
  // Any port that is free is another, and a socket is none.
  assertEquals(parse(["--port", "0", "--metrics-port", "0"]).metricsPort, 0);
  assertEquals(parse([...both, "--socket", "a.sock"]).metricsPort, 9000);
});

Deno.test("parseCommand() accepts a command before its options; the default is serve", () => {
  assertEquals(parse(["serve", "--port", "1"]).port, 1);
  for (const kind of ["check", "healthcheck"] as const) {
    const command = parseCommand([kind, "--port", "1"], () => undefined);
    assert(command.kind === kind);
    assertEquals(command.config.port, 1);
  }
});

Deno.test("parseCommand() reads the options of pair", () => {
  const args = [
    "pair",
    "--app-name",
    "Acme",
    "--app-info",
    "jane",
    "--svg",
    "a.svg",
    "--digits",
    "8",
  ];
  const command = parseCommand(args, () => undefined);
  assert(command.kind === "pair");
  assertEquals(command.config.digits, 8);
  assertEquals(command.options, {
    appName: "Acme",
    appInfo: "jane",
    secretFile: undefined,
    newSecret: false,
    svg: "a.svg",
    png: undefined,
  });
});

Deno.test("parseCommand() reads the time of doctor", () => {
  const at = (time: string): number | undefined => {
    const command = parseCommand(["doctor", `--at=${time}`], () => undefined);
    assert(command.kind === "doctor");
    return command.options.at;
  };
  assertEquals(at("1234567890"), 1234567890_000);
  assertEquals(at("2009-02-13T23:31:30Z"), 1234567890_000);
  assertEquals(at("2009-02-14T00:31:30+01:00"), 1234567890_000);
});

Deno.test("parseCommand() accepts the options of a command for that command only, and from no variable", () => {
  assertEquals(errorOf(["pair", "--at", "1"]), "there is no option --at here");
  const command = parseCommand(
    ["pair"],
    (name) => name === "AUTHENTICATOR_APP_NAME" ? "x" : undefined,
  );
  assert(command.kind === "pair");
  assertEquals(command.options.appName, undefined);
});

Deno.test("a UsageError is an error by its own name", () => {
  assertEquals(String(new UsageError("--port is taken")), "UsageError: --port is taken");
});
