import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import { parseCommand } from "../../../lib/cli/args/parse.ts";
import type { Config } from "../../../lib/config/options.ts";
import { flagOf, namesOf, UsageError, variableOf } from "../../../lib/config/option.ts";
import { OPTIONS } from "../../../lib/config/options.ts";

function parse(args: readonly string[], env: Readonly<Record<string, string>> = {}): Config {
  const command = parseCommand(args, (name) => env[name]);
  assert(command.kind === "serve");
  return command.config;
}

function errorOf(args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  return assertThrows(() => parse(args, env), UsageError).message;
}

/** Options of one kind: the texts that they accept, with their values, and texts that they refuse. */
interface Kind {
  readonly options: readonly (keyof Config)[];
  readonly expected: string;
  readonly accepted: readonly (readonly [typed: string, value: unknown])[];
  readonly refused: readonly string[];
}

const named = (placeholder: string | undefined): readonly (keyof Config)[] =>
  namesOf(OPTIONS).filter((name) => OPTIONS[name].placeholder === placeholder);

const wholeNumber = (option: keyof Config, least: number, greatest: number): Kind => ({
  options: [option],
  expected: `a whole number from ${least} to ${greatest}`,
  accepted: [[`${least}`, least], [`${greatest}`, greatest]],
  refused: [`${least - 1}`, `${greatest + 1}`, `${greatest}x`, "1.5", "1e3", "0x50"],
});

const KINDS: readonly Kind[] = [
  {
    options: named(undefined),
    expected: "true, 1, false or 0",
    accepted: [["true", true], ["1", true], ["false", false], ["0", false], ["", false]],
    refused: ["yes", "TRUE", "2"],
  },
  {
    options: named("FILE"),
    expected: "the path of a file",
    accepted: [["", undefined]],
    refused: ["a\0b"],
  },
  {
    options: ["apiKeysFile", "sealKeysFile", "guardKeyFile"],
    expected: "the path of a file",
    accepted: [["/etc/pin/keys", "/etc/pin/keys"]],
    refused: [],
  },
  {
    options: ["host", "metricsHost"],
    expected: "an IP address or a host name, without a port",
    accepted: ["0.0.0.0", "::", "::1", "::ffff:127.0.0.1", "localhost"].map((text) => [text, text]),
    refused: ["a b", "http://x", "<x>", "localhost:80", "127.0.0.1:80", "::1:x", "fe80::1%lo"],
  },
  wholeNumber("port", 0, 65_535),
  {
    ...wholeNumber("metricsPort", 0, 65_535),
    accepted: [["0", 0], ["65535", 65_535], ["", undefined]],
  },
  wholeNumber("window", 0, 100),
  wholeNumber("digits", 6, 8),
  wholeNumber("period", 1, 3_600),
  wholeNumber("maxFailures", 0, 1_000_000),
  wholeNumber("guardEntries", 1, 10_000_000),
  {
    options: ["socket"],
    expected: "the path of a socket",
    accepted: [["/run/pin/pin.sock", "/run/pin/pin.sock"], ["", undefined]],
    refused: ["a\0b"],
  },
  {
    options: ["socketMode"],
    expected: "three or four octal digits",
    accepted: [["0660", 0o660], ["666", 0o666], ["000", 0], ["0777", 0o777]],
    refused: ["660x", "x660", "0888", "66", "1777", "00660"],
  },
  {
    options: ["namespace"],
    expected: "an absolute URI that ends with a slash",
    accepted: ["http://tempuri.org/", "urn:example:pin/"].map((text) => [text, text]),
    refused: [
      "http://example.com",
      "example.com/",
      "http://ex ample/",
      "http://\u00e9/",
      'http://"/',
      "http://www.w3.org/2000/xmlns/",
      "http://schemas.xmlsoap.org/soap/envelope/",
      "1http://example.com/",
    ],
  },
  {
    options: ["baseUrl"],
    expected: "an http or https URL without user name, query and fragment",
    accepted: [
      ["https://pin.example.com", "https://pin.example.com"],
      ["https://pin.example.com//", "https://pin.example.com"],
      ["https://pin.example.com:8443/auth/", "https://pin.example.com:8443/auth"],
      ["http://[::1]:8080", "http://[::1]:8080"],
      ["", undefined],
    ],
    refused: [
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
  },
  {
    options: ["algorithm"],
    expected: "SHA1, SHA256 or SHA512",
    accepted: [["SHA256", "SHA256"], ["sha512", "SHA512"], ["SHA-1", "SHA1"]],
    refused: ["MD5", "SHA384"],
  },
  ...([
    ["logFormat", ["text", "json"]],
    ["html", ["svg", "image"]],
    ["secretEncoding", ["text", "base32"]],
  ] as const).map(([option, words]): Kind => ({
    options: [option],
    expected: words.join(" or "),
    accepted: words.map((word) => [word, word]),
    refused: ["xml", words[0].toUpperCase()],
  })),
  {
    options: ["guard"],
    expected:
      "either memory, or a URL of redis, redis+sentinel or redis+cluster, with rediss for TLS",
    accepted: [["memory", "memory"]],
    refused: ["disk", "http://127.0.0.1", "redis:", "redis://", "redis://h/a#b"],
  },
];

Deno.test("each option is of a kind", () => {
  const tested = new Set(KINDS.flatMap(({ options }) => options));
  assertEquals(namesOf(OPTIONS).filter((name) => !tested.has(name)), []);
});

for (const { options, expected, accepted, refused } of KINDS) {
  Deno.test(`parseCommand() accepts ${expected} for ${options.map(flagOf).join(", ")}`, () => {
    for (const name of options) {
      const isSwitch = OPTIONS[name].placeholder === undefined;
      for (const [typed, value] of accepted) {
        assertEquals(parse([], { [variableOf(name)]: typed })[name], value);
        if (typed === "") continue;
        if (!isSwitch) assertEquals(parse([flagOf(name), typed])[name], value);
        assertEquals(parse([`${flagOf(name)}=${typed}`])[name], value);
      }
      for (const typed of refused) {
        const [flag, variable] = [flagOf(name), variableOf(name)];
        // The message names the option and the requirement, never the value.
        assertEquals(errorOf([`${flag}=${typed}`]), `${flag} must be ${expected}`);
        assertEquals(errorOf([], { [variable]: typed }), `${variable} must be ${expected}`);
      }
    }
  });
}

Deno.test("parseCommand() reads the URL of a store", () => {
  for (const url of ["redis://127.0.0.1:6379", "rediss://pin:pass@store.example.com/2"]) {
    for (const { guard } of [parse(["--guard", url]), parse([], { AUTHENTICATOR_GUARD: url })]) {
      assertEquals(`${guard}`, url.replace("pin:pass@", ""));
    }
  }
});

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
  const rows: readonly (readonly [host: string, metricsHost: string, isAllowed: boolean])[] = [
    ["127.0.0.1", "127.0.0.2", true],
    ["::1", "127.0.0.1", true],
    ["::1", "0:0:0:0:0:0:0:1", false],
    ["10.0.0.9", "10.0.0.9", false],
    ["0.0.0.0", "127.0.0.1", false],
    ["127.0.0.1", "0.0.0.0", false],
    ["::", "127.0.0.1", false],
    ["0::0", "::1", false],
    // A name may have the same address.
    ["localhost", "127.0.0.1", false],
  ];
  for (const [host, metricsHost, isAllowed] of rows) {
    const args = [...both, "--host", host, "--metrics-host", metricsHost];
    if (isAllowed) assertEquals(parse(args).metricsPort, 9000);
    else assertEquals(errorOf(args), "--port and --metrics-port must be different", host);
  }
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
  assertEquals(at("2009-02-13T18:31:30-05:00"), 1234567890_000);
});

Deno.test("parseCommand() accepts the options of a command for that command only, and from no variable", () => {
  assertEquals(errorOf(["pair", "--at", "1"]), "unknown option --at");
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
