/**
 * The blocks of docs/sealing.md that seal a table, word for word, with a real PostgreSQL and a real
 * MariaDB. After each run, whatever happened, a row has its old value, its new one, or what another
 * session wrote; and the block ends with 0 only if all secrets are sealed.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { need, spawn } from "../../support/child.ts";
import { callCommand } from "../../support/command.ts";
import { eventually } from "../../support/eventually.ts";
import { withFolder } from "../../support/folder.ts";
import { fencesOf } from "../../support/pages.ts";
import { programWords } from "../../support/program.ts";
import { openByJose, sealByJose } from "../../support/seal_keys.ts";
import { type DatabaseServer, fill, rowsOf, startMariaDb, startPostgres } from "./servers.ts";

const BLOCKS = new Map(
  ["psql", "mariadb"].map((client) => {
    const [block, ...others] = fencesOf("docs/sealing.md").filter(({ info, text }) =>
      info === "sh" && text.includes("seal --csv") && text.includes(` ${client} `)
    );
    assert(
      block !== undefined && others.length === 0,
      `docs/sealing.md has one block for ${client}`,
    );
    return [client, block.text];
  }),
);

/** The record of a whole export, and of a whole table that `seal` writes. */
const END = "end\n";

/** What a block changes, and how it is run. */
interface Run {
  /** The command of the block: `seal` as on the page, or `unseal`, as the page says. */
  readonly command?: "seal" | "unseal";
  /** The shell. */
  readonly shell?: "sh" | "dash" | "bash";
  /** Changes the text of the block, to end its session between two steps. */
  readonly edit?: (block: string) => string;
  /** Shell script that runs in place of the program; the program is `program`. */
  readonly program?: string;
  /** Shell script that runs in place of the client of the database, which is `client`. */
  readonly client?: string;
}

/** A table to seal, with the key of the file `seal-keys`. */
class Bench {
  #runs = 0;

  constructor(
    readonly server: DatabaseServer,
    readonly folder: string,
  ) {}

  get keyLine(): string {
    return Deno.readTextFileSync(`${this.folder}/seal-keys`).split("\n")[0]!;
  }

  setKeys(...lines: readonly string[]): void {
    const path = `${this.folder}/seal-keys`;
    Deno.writeTextFileSync(path, lines.map((line) => `${line}\n`).join(""), { mode: 0o600 });
  }

  block({ command = "seal", edit = (block) => block }: Run = {}): string {
    const block = BLOCKS.get(this.server.client)!;
    return edit(block.replaceAll("authenticator seal", `authenticator ${command}`));
  }

  /** Starts a block, with its commands on the path. */
  start(options: Run = {}): Deno.ChildProcess {
    const { shell = "sh", program = 'exec program "$@"', client = 'exec client "$@"' } = options;
    const bin = `${this.folder}/bin${this.#runs++}`;
    Deno.mkdirSync(bin);
    const script = (name: string, text: string): void =>
      Deno.writeTextFileSync(`${bin}/${name}`, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    const home = Deno.env.get("HOME") ?? "/";
    const words = programWords().map((word) => `'${word}'`).join(" ");
    script("program", `HOME='${home}' exec ${words} "$@"`);
    script("client", `exec /usr/bin/${this.server.client} "$@"`);
    script("authenticator", program);
    script(this.server.client, client);
    return spawn(shell, {
      args: ["-c", this.block(options)],
      cwd: this.folder,
      env: { ...this.server.env, PATH: `${bin}:${Deno.env.get("PATH")}`, NO_COLOR: "1" },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      detached: true,
    });
  }

  /** Runs a block to its end, and returns its exit code and what it printed. */
  async run(options: Run = {}): Promise<readonly [code: number, output: string]> {
    const child = this.start(options);
    const timer = setTimeout(() => Deno.kill(-child.pid, "SIGKILL"), 120_000);
    const { code, stdout, stderr } = await child.output();
    clearTimeout(timer);
    return [code, [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("")];
  }

  /**
   * Checks each row: it has its old value, a seal of it, or what another session wrote.
   *
   * @returns Whether each secret that is not empty is sealed with the first key.
   */
  async inspect(
    before: ReadonlyMap<string, string | undefined>,
    others: ReadonlyMap<string, string> = new Map(),
    rows?: ReadonlyMap<string, string | undefined>,
  ): Promise<boolean> {
    rows ??= await rowsOf(this.server);
    assertEquals(new Set(rows.keys()), new Set([...before.keys(), ...others.keys()]));
    let isSealed = true;
    for (const [id, secret] of rows) {
      if (secret === before.get(id) && !secret) continue;
      const opened = secret?.startsWith("eyJhbGciOiJkaXIi")
        ? (await openByJose(secret, this.keyLine)).text
        : undefined;
      isSealed &&= opened !== undefined;
      const allowed = [before.get(id), others.get(id)];
      assert(allowed.includes(opened ?? secret), `${id} has ${JSON.stringify(secret)}`);
    }
    return isSealed;
  }

  /** Runs a block, checks each row, and that 0 means that all is sealed. */
  async runAndInspect(
    before: ReadonlyMap<string, string | undefined>,
    options: Run = {},
    others?: ReadonlyMap<string, string>,
  ): Promise<number> {
    const [code, output] = await this.run(options);
    const isSealed = await this.inspect(before, others);
    assert(code !== 0 || isSealed, output);
    return code;
  }
}

const KEY = `k1:${"0123456789abcdef".repeat(4)}`;
const OTHER_KEY = `k2:${"fedcba9876543210".repeat(4)}`;

/** Secrets with everything that hurts on the way through shells, clients, CSV and SQL. */
const SECRETS: readonly string[] = [
  ...'a|secret|\\|\\N|\\n\\t\\\\|"|\'|""|,|a,b|a","b|NULL|\\.|$(id)|%s|`id`|--|;|{}|!!|end'
    .split(
      "|",
    ),
  ...["\r", "\n", "a\r", "a\n", "a\r\nb", "\t", " a ", "  ", "\na\n", 'x"\n"y', '"\r\n', "\uFEFFa"],
  ...["é", "ÿ", "Bü©hse", "0".repeat(1024), `"${"\\".repeat(1022)}"`, "\r\n".repeat(512)],
];

/** Secrets that are not in Latin-1. */
const WIDE: readonly string[] = ["🔑", "ключ", "\u0085\u2028", "e\u0301", "語".repeat(341), "İıß"];

function numbered(secrets: readonly string[]): Map<string, string | undefined> {
  return new Map(secrets.map((secret, at) => [`${at + 1}`, secret]));
}

const SMALL = numbered(["first", 'a "b", c\r\n', "\\N\\\\", "last é"]);

async function withBench(
  start: (folder: string) => Promise<DatabaseServer>,
  act: (bench: Bench) => Promise<void>,
): Promise<void> {
  await need(["dash", "-c", "true"]);
  await withFolder(async (folder) => {
    const server = await start(folder);
    try {
      const stage = `${folder}/stage`;
      await Deno.mkdir(stage);
      const bench = new Bench(server, stage);
      bench.setKeys(KEY);
      await act(bench);
    } finally {
      await server.stop();
    }
  });
}

const VARCHAR = { id: "bigint", secret: "varchar(2048)" };

/** Tests that both databases pass. */
async function testBench(t: Deno.TestContext, bench: Bench): Promise<void> {
  const { server } = bench;
  const { client } = server;
  const isPostgres = client === "psql";

  /** Makes the table, with rows. */
  const prepare = async (
    rows: ReadonlyMap<string, string | undefined>,
    table: Parameters<DatabaseServer["make"]>[0] = VARCHAR,
  ): Promise<void> => {
    await server.make(table);
    await fill(server, rows);
    assertEquals(await rowsOf(server), rows);
  };

  for (const shell of ["sh", "dash", "bash"] as const) {
    await t.step(
      `by ${shell}, all secrets are sealed, sealed again, and unsealed to the first bytes`,
      async () => {
        const rows = numbered([...SECRETS, ...WIDE]);
        await prepare(new Map([...rows, ["1000", undefined], ["1001", ""]]));
        const before = await rowsOf(server);
        assertEquals(await bench.runAndInspect(before, { shell }), 0);
        const sealed = await rowsOf(server);
        assertEquals(await bench.runAndInspect(before, { shell }), 0);
        assertEquals(await rowsOf(server), sealed);
        const [code, output] = await bench.run({ command: "unseal", shell });
        assertEquals([code, await rowsOf(server)], [0, before], output);
      },
    );
  }

  await t.step("ids are numbers, texts and UUIDs", async () => {
    const texts = ["a", "A", "a ", 'x,"y"\'\n', "é🔑", "\\", "17", "017", "1e1", "10"];
    const uuid = (digit: string): string => `${digit.repeat(8)}-0000-4000-8000-00000000000${digit}`;
    const kinds: readonly (readonly [string, readonly string[]])[] = [
      ["int", ["-1", "0", "2147483647"]],
      ["bigint", ["9007199254740992", "9007199254740993", "9223372036854775807"]],
      [isPostgres ? "text" : "varchar(200) COLLATE utf8mb4_nopad_bin", texts],
      ["uuid", ["1", "a"].map(uuid)],
    ];
    for (const [id, ids] of kinds) {
      // The same secret twice: a row takes no other row's place.
      const rows = new Map(ids.map((each, at) => [each, at < 2 ? "same" : `secret of ${each}`]));
      await prepare(rows, { id, secret: "varchar(2048)" });
      assertEquals(await bench.runAndInspect(rows), 0, id);
      assertEquals((await bench.run({ command: "unseal" }))[0], 0, id);
      assertEquals(await rowsOf(server), rows);
    }
  });

  await t.step(
    "a database in Latin-1 is sealed by the bytes that its clients send in UTF-8",
    async () => {
      const rows = numbered(SECRETS.filter((secret) => !secret.includes("\uFEFF")));
      await prepare(rows, { ...VARCHAR, isLatin1: true });
      assertEquals(await bench.runAndInspect(rows), 0);
      assertEquals((await bench.run({ command: "unseal" }))[0], 0);
      assertEquals(await rowsOf(server), rows);
    },
  );

  await t.step(
    "a key is rotated, and a secret of a key that is not there changes nothing",
    async () => {
      await prepare(SMALL);
      assertEquals(await bench.runAndInspect(SMALL), 0);
      const sealed = await rowsOf(server);
      bench.setKeys(OTHER_KEY);
      const [code, output] = await bench.run();
      assertEquals([code, await rowsOf(server)], [1, sealed]);
      assert(
        output.includes('record 1 ("1") has a secret that is sealed with the key k1, and'),
        output,
      );
      bench.setKeys(OTHER_KEY, KEY);
      assertEquals(await bench.runAndInspect(SMALL), 0);
      bench.setKeys(KEY);
      assertEquals((await bench.run({ command: "unseal" }))[0], 1);
      bench.setKeys(OTHER_KEY);
      assertEquals((await bench.run({ command: "unseal" }))[0], 0);
      assertEquals(await rowsOf(server), SMALL);
      bench.setKeys(KEY);
    },
  );

  await t.step("a column that is too narrow stays as it is", async () => {
    for (const secret of ["varchar(100)", "varchar(20)", "char(90)"]) {
      await prepare(SMALL, { id: "bigint", secret });
      const [code, output] = await bench.run();
      assert(code !== 0 && /too long/i.test(output), output);
      assertEquals(await rowsOf(server), SMALL);
    }
  });

  await t.step("a secret that cannot be sealed changes no row, and the block fails", async () => {
    for (const wrong of ["\u0001", "a\n\\.\nb"]) {
      const rows = numbered(["first", wrong, "last"]);
      await prepare(rows);
      const [code, output] = await bench.run();
      assertEquals([code, await rowsOf(server)], [1, rows], output);
      assert(/record 2 \("2"\) has a /.test(output), output);
    }
  });

  await t.step(
    "what other sessions write before the update stays, and a second run seals it",
    async () => {
      await prepare(SMALL);
      const literal = (text: string): string => server.literal(text);
      const sql = `UPDATE users SET secret = ${literal("changed")} WHERE id = 2; ` +
        `DELETE FROM users WHERE id = 3; INSERT INTO users VALUES (9, ${literal("new")})`;
      await Deno.writeTextFile(`${bench.folder}/meanwhile.sql`, sql);
      const meanwhile = isPostgres
        ? "client -X -q -v ON_ERROR_STOP=1 shop -f meanwhile.sql"
        : "client shop --default-character-set=utf8mb4 < meanwhile.sql";
      const program = `case $* in *--check*) exec program "$@" ;; esac
program "$@" > written && ${meanwhile} && cat written`;
      const left = new Map([...SMALL].filter(([id]) => id !== "3"));
      const others = new Map([["2", "changed"], ["9", "new"]]);
      assertEquals(await bench.runAndInspect(left, { program }, others), 1);
      const rows = await rowsOf(server);
      assertEquals([rows.get("2"), rows.get("9")], ["changed", "new"]);
      assertEquals(await bench.runAndInspect(left, {}, others), 0);
    },
  );

  await t.step("another session changes rows all the time", async () => {
    const rows = numbered(Array.from({ length: 1000 }, (_, at) => `secret ${at}`));
    await prepare(rows);
    let isOver = false;
    const others = new Map<string, string>();
    const writing = (async () => {
      for (let n = 0; !isOver || n < 20; n++) {
        const id = `${n * 7 % 1000 + 1}`;
        others.set(id, `written ${n}`);
        await server.sql(`UPDATE users SET secret = 'written ${n}' WHERE id = ${id}`);
      }
    })();
    const [code] = await bench.run();
    isOver = true;
    await writing;
    const isSealed = await bench.inspect(rows, others);
    for (const [id, secret] of await rowsOf(server)) {
      if (others.has(id)) {
        const last = others.get(id)!;
        const text = secret!.startsWith("eyJ") ? (await openByJose(secret!, KEY)).text : secret;
        assertEquals(text, last, "no other session loses what it wrote");
      }
    }
    assert(isSealed || code !== 0 || others.size > 0);
    assertEquals(await bench.runAndInspect(rows, {}, others), 0);
  });

  await t.step(
    "a session that ends between any two steps changes nothing, and can begin again",
    async () => {
      // Before each statement but the first, and before the end of the block.
      const places = [
        ...bench.block().matchAll(isPostgres ? /-c "(?!\\copy \()/g : /\n {4}(?=[A-Z])/g),
      ]
        .map(({ index, 0: { length } }) => index + length);
      assert(places.length >= 4, `${places}`);
      for (const place of places) {
        await prepare(SMALL);
        const edit = (block: string): string => {
          const words = isPostgres ? `${server.suicide}" -c "` : `${server.suicide};`;
          return block.slice(0, place) + words + block.slice(place);
        };
        const [code, output] = await bench.run({ edit });
        assert(code !== 0, output);
        assertEquals(await rowsOf(server), SMALL, output);
        assertEquals(await bench.runAndInspect(SMALL), 0);
      }
    },
  );

  await t.step(
    "a block that is killed while its update waits changes nothing, and can begin again",
    async () => {
      await prepare(SMALL);
      const holder = spawn(`/usr/bin/${client}`, {
        args: isPostgres ? ["-X", "shop"] : ["shop"],
        env: { ...server.env },
        stdin: "piped",
        stdout: "null",
        stderr: "null",
      });
      const writer = holder.stdin.getWriter();
      await writer.write(
        new TextEncoder().encode("BEGIN; UPDATE users SET secret = 'held' WHERE id = 1;\n"),
      );
      const started = bench.start();
      await eventually(
        async () => (await server.sql(server.waiting)).trim() !== "0",
        "the update waits for the lock",
      );
      Deno.kill(-started.pid, "SIGKILL");
      await started.output();
      await writer.write(new TextEncoder().encode("ROLLBACK;\n"));
      await writer.close();
      await holder.status;
      assertEquals(await rowsOf(server), SMALL);
      assertEquals(await bench.runAndInspect(SMALL), 0);
    },
  );

  await t.step("an export that dies is an error, the first one and that of the check", async () => {
    for (const count of [1, 2]) {
      await prepare(SMALL);
      const die = `case $* in *STDOUT* | *CONCAT*) echo >> calls ;; *) exec client "$@" ;; esac
[ "$(wc -l < calls)" = ${count} ] || exec client "$@"
client "$@" | head -c 20; exit 1`;
      await Deno.writeTextFile(`${bench.folder}/calls`, "");
      const [code, output] = await bench.run({ client: die });
      assertEquals(code, 1, output);
      if (count === 1) assertEquals(await rowsOf(server), SMALL);
    }
  });

  await t.step(
    "an export or its client that is killed at any of ten moments is an error",
    async () => {
      const rows = numbered(Array.from({ length: 1000 }, (_, at) => `secret ${at}`));
      const isExport = 'case $* in *STDOUT* | *CONCAT*) ;; *) exec client "$@" ;; esac';
      const [, exported = ""] = /secrets\(\) \{\n([^]*?)\n\}/.exec(bench.block()) ?? [];
      assert(exported.endsWith("echo end"), exported);
      for (let moment = 0; moment < 10; moment++) {
        // The client ends itself, or with the shell that runs the function.
        const victims = moment % 2 === 0 ? "$$" : "$PPID $$";
        const kill = `${isExport}
client "$@" | head -c ${moment * 1701 + 1}; kill -9 ${victims}`;
        await prepare(rows);
        const [code, output] = await bench.run({ client: kill });
        assert(code !== 0, output);
        assertEquals(await rowsOf(server), rows, output);
      }
      assertEquals(await bench.runAndInspect(rows), 0);
      for (let moment = 0; moment < 10; moment++) {
        const victims = moment % 2 === 0 ? "$$" : "$PPID $$";
        const kill = `${isExport}
echo >> calls; [ "$(wc -l < calls)" = 2 ] || exec client "$@"
client "$@" | head -c ${moment * 1701 + 1}; kill -9 ${victims}`;
        await Deno.writeTextFile(`${bench.folder}/calls`, "");
        const [code, output] = await bench.run({ client: kill });
        assert(code !== 0 && !output.includes(" right, "), output);
      }
    },
  );

  await t.step(
    "after the last login that seals, the block of `unseal` leaves no sealed row",
    async () => {
      const rows = numbered(Array.from({ length: 300 }, (_, at) => `secret ${at}`));
      await prepare(rows);
      assertEquals(await bench.runAndInspect(rows), 0);
      const sealed = await rowsOf(server);
      let isOver = false;
      let count = 0;
      const logins = (async () => {
        for (; !isOver || count < 20; count++) {
          const id = `${count * 7 % 300 + 1}`;
          const [plain, reply] = [rows.get(id)!, sealed.get(id)!].map(server.literal);
          await server.sql(
            `UPDATE users SET secret = ${reply} WHERE id = ${id} AND secret = ${plain}`,
          );
        }
      })();
      // The first run fails, or all its rows are plain at its end.
      await bench.run({ command: "unseal" });
      isOver = true;
      await logins;
      const [code, output] = await bench.run({ command: "unseal" });
      assertEquals([code, await rowsOf(server)], [0, rows], output);
    },
  );

  await t.step("a pipe that is cut at any of 200 places loses nothing", async () => {
    const secrets = ["first", 'a "b",\r\n"c', "\\N\\\\", ",", '"', "last é"];
    const rows = numbered(secrets);
    await prepare(rows);
    // What goes through both pipes.
    const [code] = await bench.run({
      program: `case $* in *--check*) exec program "$@" ;; esac
cat > exported; program "$@" < exported > sealed; cat sealed`,
    });
    assertEquals(code, 0);
    const [exported, sealed] = ["exported", "sealed"].map((name) =>
      Deno.readFileSync(`${bench.folder}/${name}`)
    );
    const keys = ["--csv", "--seal-keys-file", `${bench.folder}/seal-keys`];
    const inputs = new Map<string, Uint8Array>();
    for (let at = 0; at < exported!.length; at++) {
      const stdin = exported!.subarray(0, at);
      const { stdout } = await callCommand(["seal", ...keys], { stdin });
      // The values differ from run to run; the shape is the same.
      inputs.set(`${stdout.length}`, Buffer.from(stdout));
    }
    for (let n = 0; n < 200; n++) {
      const at = Math.floor(n * sealed!.length / 200);
      inputs.set(`cut ${at}`, sealed!.subarray(0, at));
    }
    let changed = 0;
    await fill(server, rows);
    for (const input of inputs.values()) {
      await Deno.writeFile(`${bench.folder}/cut`, input);
      // The program is called here, since a process for each check would take minutes.
      const [code] = await bench.run({
        program: "case $* in *--check*) cat > checked; exit 0 ;; esac; cat > read; cat cut",
      });
      const now = await rowsOf(server);
      const isSealed = await bench.inspect(rows, new Map(), now);
      if (code === 0) {
        const stdin = Deno.readFileSync(`${bench.folder}/checked`);
        const check = await callCommand(["seal", "--check", ...keys], { stdin });
        assertEquals(check.code, isSealed ? 0 : 1);
      }
      if ([...rows].every(([id, secret]) => now.get(id) === secret)) continue;
      changed++;
      await fill(server, rows);
    }
    // Only what has its last record, with or without its line break, changes rows.
    assert(changed <= 2, `${changed}`);
    // A check whose export is cut at any place.
    const { stdout } = await callCommand(["seal", ...keys], { stdin: exported! });
    const records = stdout.replace(/^"","","end"\n$/m, "");
    const whole = records.replace(/^"([^"]*)","(\d+)".*$/gm, "$2,$1") + END;
    assertEquals((await callCommand(["seal", "--check", ...keys], { stdin: whole })).code, 0);
    for (let at = 0; at < whole.length; at++) {
      const stdin = whole.slice(0, at);
      assertEquals((await callCommand(["seal", "--check", ...keys], { stdin })).code, 1, `${at}`);
    }
  });
}

Deno.test("docs/sealing.md: its block seals a table of PostgreSQL, and loses nothing", async (t) => {
  await withBench(startPostgres, async (bench) => {
    await testBench(t, bench);

    await t.step(
      "a secret that psql would take for the end of its input is refused, and no row changes",
      async () => {
        const sealed = await sealByJose("a\n\\.\nb", KEY);
        const rows = new Map([["1", await sealByJose("first", KEY)], ["2", sealed]]);
        await bench.server.make(VARCHAR);
        await fill(bench.server, rows);
        const [code, output] = await bench.run({ command: "unseal" });
        assertEquals([code, await rowsOf(bench.server)], [1, rows], output);
        assert(output.includes('record 2 ("2") has a line \\. in it'), output);
      },
    );
  });
});

Deno.test("docs/sealing.md: its block seals a table of MariaDB, and loses nothing", async (t) => {
  await withBench(startMariaDb, (bench) => testBench(t, bench));
});
