import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import {
  changedLines,
  parseConfigFile,
  readConfigFiles,
} from "../../../../lib/cli/args/config_file.ts";
import { type Command, parseCommand } from "../../../../lib/cli/args/parse.ts";
import { OptionFileError, UsageError } from "../../../../lib/config/option.ts";
import { withFolder } from "../../../support/folder.ts";

const SUBJECT = { subject: "the file of --config" };
const UNIX = { ...SUBJECT, path: "/etc/pin/options", isWindows: false };
const WINDOWS = { ...SUBJECT, path: "C:\\pin\\options", isWindows: true };

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function parsed(text: string, place = UNIX): Readonly<Record<string, string>> {
  const lines = parseConfigFile(bytesOf(text), place);
  return Object.fromEntries([...lines].map(([name, { value }]) => [name, value]));
}

function refusal(bytes: Uint8Array, place = UNIX): string {
  return assertThrows(() => parseConfigFile(bytes, place), OptionFileError).message;
}

Deno.test("a line of the file of options is literal", () => {
  const values = ["it's", 'a"b', "a # b", "a ; b", "$HOME", "%d", "a=b", "ü", "a\tb", "${A}"];
  for (const value of values) {
    const guard = `AUTHENTICATOR_GUARD=${value}`;
    assertEquals(parsed(guard), { AUTHENTICATOR_GUARD: value });
  }
});

Deno.test("a byte order mark, CR LF, empty lines and comments are read", () => {
  const text = "\uFEFFAUTHENTICATOR_PORT=1\r\n\r\n# a\r\n ; b\n \t\rAUTHENTICATOR_WINDOW=2";
  assertEquals(parsed(text), { AUTHENTICATOR_PORT: "1", AUTHENTICATOR_WINDOW: "2" });
  assertEquals(
    parseConfigFile(bytesOf(text), UNIX).get("AUTHENTICATOR_WINDOW")?.place,
    "line 6 of the file of --config",
  );
});

Deno.test("the plain name of a file is beside the file of options", () => {
  const lines = "AUTHENTICATOR_API_KEYS_FILE=keys\nAUTHENTICATOR_TLS_KEY=/a/key\n" +
    "AUTHENTICATOR_TLS_CERT=a/cert\nAUTHENTICATOR_SOCKET=socket\n";
  assertEquals(parsed(lines), {
    AUTHENTICATOR_API_KEYS_FILE: "/etc/pin/keys",
    AUTHENTICATOR_TLS_KEY: "/a/key",
    AUTHENTICATOR_TLS_CERT: "a/cert",
    AUTHENTICATOR_SOCKET: "socket",
  });
  const keys = (path: string, isWindows = false): unknown =>
    parsed("AUTHENTICATOR_API_KEYS_FILE=keys", { ...SUBJECT, path, isWindows })
      .AUTHENTICATOR_API_KEYS_FILE;
  assertEquals([keys("options"), keys("a/options"), keys("/options")], ["keys", "a/keys", "/keys"]);
  assertEquals([keys(WINDOWS.path, true), keys("C:/o", true)], ["C:\\pin\\keys", "C:/keys"]);
  assertEquals(
    parsed("AUTHENTICATOR_API_KEYS_FILE=D:\\keys", WINDOWS).AUTHENTICATOR_API_KEYS_FILE,
    "D:\\keys",
  );
});

// A line, and what is wrong with it. Each is the second.
const WRONG: readonly (readonly [line: string, clause: string])[] = [
  ["canary", "has no =: write AUTHENTICATOR_NAME=value"],
  [
    "export AUTHENTICATOR_PORT=canary",
    "begins with export: write AUTHENTICATOR_NAME=value",
  ],
  [
    " AUTHENTICATOR_PORT=1",
    "has white space before or behind its name: write AUTHENTICATOR_NAME=value",
  ],
  [
    "AUTHENTICATOR_PORT =1",
    "has white space before or behind its name: write AUTHENTICATOR_NAME=value",
  ],
  ["AUTHENTICATOR_PORT= 1", "has white space before or behind its value: remove it"],
  ["AUTHENTICATOR_PORT=1 ", "has white space before or behind its value: remove it"],
  ["AUTHENTICATOR_PORT= ", "has white space for a value"],
  ["AUTHENTICATOR_PORT=", "has no value for AUTHENTICATOR_PORT: give one, or remove the line"],
  ["AUTHENTICATOR_GUARD='canary'", "has a value in quotes: remove them"],
  ['AUTHENTICATOR_GUARD="canary', "has a value in quotes: remove them"],
  [
    "AUTHENTICATOR_GUARD=a\\",
    "has a backslash, which systemd would read as an escape: write the value without one",
  ],
  ["# a \\", "is a comment that ends in a backslash: remove that"],
  ["AUTHENTICATOR_GUARD=a\0b", "has a control character"],
  ["canary=1", "has a name that is no option's"],
  [
    "\uFEFFAUTHENTICATOR_PORT=1",
    "has a name that is no option's; did you mean AUTHENTICATOR_PORT?",
  ],
  [
    "AUTHENTICATOR_API_KEY_FILE=canary",
    "has a name that is no option's; did you mean AUTHENTICATOR_API_KEYS_FILE?",
  ],
  [
    "authenticator_port=1",
    "has a name that is no option's; did you mean AUTHENTICATOR_PORT?",
  ],
  [
    "AUTHENTICATOR-PORT=1",
    "has a name that is no option's; did you mean AUTHENTICATOR_PORT?",
  ],
  ["AUTHENTICATOR_CONFIG=canary", "names a file of options: give only one"],
  ["AUTHENTICATOR_WINDOW=3", "repeats AUTHENTICATOR_WINDOW of line 1"],
];

Deno.test("a wrong line is an error with its number, never with its text", () => {
  for (const [line, clause] of WRONG) {
    const message = refusal(bytesOf(`AUTHENTICATOR_WINDOW=2\n${line}\n`));
    assertEquals(message, `line 2 of the file of --config ${clause}`);
    assert(!message.includes("canary"));
  }
  const latin1 = new Uint8Array([...bytesOf("# a\nAUTHENTICATOR_GUARD="), 0xFC, 0x0A]);
  assertEquals(refusal(latin1), "line 2 of the file of --config is not UTF-8 text");
});

Deno.test("a file of options in UTF-16 is an error", () => {
  for (const mark of [[0xFF, 0xFE], [0xFE, 0xFF]]) {
    const message = refusal(new Uint8Array([...mark, 0x41, 0]));
    assert(message.startsWith("the file of --config is UTF-16: save it as UTF-8"), message);
  }
  assertEquals(
    refusal(bytesOf("A\0U\0T\0")),
    "line 1 of the file of --config has a control character",
  );
});

Deno.test("on Windows, a value may have backslashes", () => {
  assertEquals(parsed("# C:\\\nAUTHENTICATOR_GUARD=a\\b", WINDOWS), {
    AUTHENTICATOR_GUARD: "a\\b",
  });
});

Deno.test({
  name: "a file of options that is missing, a folder, or that others may write is an error",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withFolder(async (folder) => {
      const path = `${folder}/sub/options`;
      const message = (): string =>
        assertThrows(() => readConfigFiles([path]), OptionFileError).message;
      assertEquals(
        message(),
        "the file of --config cannot be read: there is no such file or folder",
      );
      await Deno.mkdir(path, { recursive: true });
      assert(message().startsWith("the file of --config cannot be read: "), message());
      await Deno.remove(path);
      await Deno.writeTextFile(path, "AUTHENTICATOR_WINDOW=2");
      await Deno.chmod(path, 0o602);
      const written =
        "the file of --config can be written by every user of this machine: chmod o-w";
      assertEquals(message(), written);
      // The target of a link counts.
      await Deno.rename(path, `${folder}/target`);
      await Deno.symlink(`${folder}/target`, path);
      assertEquals(message(), written);
      await Deno.chmod(path, 0o600);
      const { lines } = readConfigFiles([path]);
      assertEquals(lines.get("AUTHENTICATOR_WINDOW"), {
        place: "line 1 of the file of --config",
        value: "2",
      });
      await Deno.chmod(folder, 0o777);
      assertEquals(
        message(),
        "the file of --config is in a folder that every user of this machine can write to: chmod o-w",
      );
      await Deno.chmod(folder, 0o1777);
      readConfigFiles([path]);
    }),
});

async function withConfig(
  text: string,
  act: (
    parse: (
      args?: readonly string[],
      env?: Readonly<Record<string, string>>,
    ) => Extract<Command, { kind: "serve" }>,
  ) => void | Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const path = `${folder}/options`;
    await Deno.writeTextFile(path, text);
    await act((args = ["--config", path], env = {}) => {
      const words = args.map((word) => word.replace("PATH", path));
      const command = parseCommand(words, (name) => env[name]?.replace("PATH", path));
      assert(command.kind === "serve");
      return command;
    });
  });
}

Deno.test("flags win over variables, and variables over the file of --config", () =>
  withConfig(
    "AUTHENTICATOR_PORT=1\nAUTHENTICATOR_METRICS_PORT=2\nAUTHENTICATOR_HOST=::\n" +
      "AUTHENTICATOR_WINDOW=4\n",
    (parse) => {
      const env = {
        AUTHENTICATOR_PORT: "5",
        AUTHENTICATOR_METRICS_PORT: "6",
        AUTHENTICATOR_HOST: "",
      };
      const { config, sources } = parse(["--config", "PATH", "--port", "7"], env);
      const { port, metricsPort, host, window, digits } = config;
      assertEquals({ port, metricsPort, host, window, digits }, {
        port: 7,
        metricsPort: 6,
        host: "::",
        window: 4,
        digits: 6,
      });
      assertEquals(
        ["port", "metricsPort", "host", "window", "digits"].map((name) => sources.get(name)),
        ["flag", "environment", "file", "file", "default"],
      );
    },
  ));

Deno.test("AUTHENTICATOR_CONFIG names the file too, and an empty one is an error", () =>
  withConfig("AUTHENTICATOR_WINDOW=4\n", (parse) => {
    assertEquals(parse([], { AUTHENTICATOR_CONFIG: "PATH" }).config.window, 4);
    assertEquals(
      parse(["--config", "PATH"], { AUTHENTICATOR_CONFIG: "/none" }).config.window,
      4,
    );
    const empty = assertThrows(() => parse([], { AUTHENTICATOR_CONFIG: "" }), UsageError);
    assertEquals(empty.message, "AUTHENTICATOR_CONFIG must not be empty: name a file, or unset it");
    assertThrows(() => parse(["--config", ""]), UsageError, "--config must not be empty");
    assertThrows(() => parse(["--config", "/none"]), OptionFileError, "cannot be read");
  }));

Deno.test("a variable with another value than its line is an error that names both", () =>
  withConfig(
    "AUTHENTICATOR_WINDOW=4\nAUTHENTICATOR_SINGLE_USE=true\nAUTHENTICATOR_API_KEYS_FILE=keys\n" +
      "AUTHENTICATOR_GUARD=redis://:one@store\n",
    (parse) => {
      const args = ["--config", "PATH"];
      const both = (env: Readonly<Record<string, string>>): string =>
        assertThrows(() => parse(args, env), OptionFileError).message;
      assertEquals(
        both({ AUTHENTICATOR_SINGLE_USE: "false" }),
        "AUTHENTICATOR_SINGLE_USE is set in the environment, and line 2 of the file of --config " +
          "has another value: remove one of them",
      );
      assert(both({ AUTHENTICATOR_API_KEYS_FILE: "keys" }).includes("line 3"));
      assert(both({ AUTHENTICATOR_GUARD: "redis://:two@store" }).includes("line 4"));
      parse(args, { AUTHENTICATOR_SINGLE_USE: "1", AUTHENTICATOR_WINDOW: "4\n" });
      // A flag beats both.
      parse([...args, "--window", "1"], { AUTHENTICATOR_WINDOW: "2" });
    },
  ));

Deno.test("a wrong value of the file of --config is an error with its line", () =>
  withConfig("\nAUTHENTICATOR_PORT=canary\n", (parse) => {
    assertEquals(
      assertThrows(() => parse(), UsageError).message,
      "AUTHENTICATOR_PORT in line 2 of the file of --config must be a whole number from 0 to 65535",
    );
  }));

Deno.test("changedLines() returns the variables whose lines differ, and no comments", () =>
  withFolder(async (folder) => {
    const path = `${folder}/options`;
    const write = (text: string): Promise<void> => Deno.writeTextFile(path, text);
    await write("AUTHENTICATOR_WINDOW=1\nAUTHENTICATOR_GUARD=redis://:one@store\n");
    const file = readConfigFiles([path]);
    await write("# a\nAUTHENTICATOR_GUARD=redis://:one@store\n\nAUTHENTICATOR_WINDOW=1\n");
    assertEquals(changedLines(file), []);
    await write("AUTHENTICATOR_GUARD=redis://:two@store\nAUTHENTICATOR_SINGLE_USE=true\n");
    assertEquals(changedLines(file), [
      "AUTHENTICATOR_WINDOW",
      "AUTHENTICATOR_SINGLE_USE",
      "AUTHENTICATOR_GUARD",
    ]);
  }));

Deno.test("a second file of --config changes ports, addresses and sockets, and repeats nothing else", () =>
  withFolder(async (folder) => {
    const [one, two] = [`${folder}/one`, `${folder}/two`];
    const linesOf = (n: number): string =>
      [
        ...["WINDOW=2", `HOST=::${n}`, `PORT=${n}`, `SHARE_PORT=${n % 2}`, `SOCKET=${n}`],
        ...[`SOCKET_MODE=60${n}`, `METRICS_HOST=::${n}`, `METRICS_PORT=${n}`],
      ].map((line) => `AUTHENTICATOR_${line}\n`).join("");
    await Deno.writeTextFile(one, linesOf(1));
    const parse = async (second: string): Promise<Extract<Command, { kind: "serve" }>> => {
      await Deno.writeTextFile(two, second);
      const command = parseCommand(["--config", one, "--config", two], () => undefined);
      assert(command.kind === "serve");
      return command;
    };
    const { config, files } = await parse(linesOf(2));
    assertEquals([config.port, config.window], [2, 2]);
    assert([...files!.lines.values()].every(({ place }) => place.includes("second")));
    assertEquals((await parse("#")).config.port, 1);
    const message = await parse("AUTHENTICATOR_WINDOW=10").catch((error: Error) => error.message);
    assertEquals(
      message,
      "AUTHENTICATOR_WINDOW has another value in line 1 of the second file of --config than in " +
        "line 1 of the first file of --config: remove one of them",
    );
  }));
