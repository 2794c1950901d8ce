/**
 * The programs of docs/sealing.md that seal a row from an application, run as they stand: a row is
 * never changed but to its sealed secret.
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { need, runToEnd } from "../../support/child.ts";
import { run } from "../../support/client_program.ts";
import { withFolder } from "../../support/folder.ts";
import { fencesOf } from "../../support/pages.ts";
import { openByJose, SEAL_KEY_LINES, SEAL_KEYS_FILE, sealByJose } from "../../support/seal_keys.ts";
import { serverForTests } from "../../support/test_server.ts";
import { startPostgres } from "./servers.ts";

const server = serverForTests("--seal-keys-file", SEAL_KEYS_FILE);

const URL_ON_PAGE = "http://127.0.0.1:8080/seal";
const SECRET = `it's "1" \\ %41 +&= Bü©hse 🔑\n2`;
const SEALED = await sealByJose(SECRET);
const CHANGED = "changed meanwhile";

/** A table of one user, 7. */
interface Table {
  /** Runs a statement, and returns its rows as text. */
  readonly query: (sql: string) => Promise<string>;
  /** Runs the program for the secret. */
  readonly seal: (url: string, posted: string) => Promise<void>;
}

type WithTable = (act: (table: Table) => Promise<void>) => Promise<void>;

function blockOf(language: string): string {
  const block = fencesOf("docs/sealing.md")
    .find(({ info, text }) => info === language && text.includes(URL_ON_PAGE));
  assert(block !== undefined, `The page has no program in ${language}`);
  return block.text;
}

function literalOf(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * Makes a table in SQLite, whose driver each of the languages has.
 *
 * @param prepare Writes and compiles the program with its URL; returns the command.
 */
function inSqlite(
  prepare: (folder: string, url: string) => Promise<readonly string[]>,
): WithTable {
  return async (act) => {
    await withFolder(async (folder) => {
      const path = `${folder}/shop.db`;
      const query = async (sql: string): Promise<string> =>
        (await run("sqlite3", ["-cmd", ".timeout 10000", path, sql])).text.trimEnd();
      const commands = new Map<string, readonly string[]>();
      await query("CREATE TABLE users (id bigint PRIMARY KEY, secret varchar(255))");
      await act({
        query,
        seal: async (url, posted) => {
          const words = commands.get(url) ?? await prepare(folder, url);
          commands.set(url, words);
          // A program may throw; the row tells.
          await runToEnd([...words, path, "7", posted], { env: { NO_PROXY: "127.0.0.1" } });
        },
      });
    });
  };
}

const PROGRAMS: Readonly<Record<string, WithTable>> = {
  curl: async (act) => {
    await withFolder(async (folder) => {
      const { env, make, sql, stop } = await startPostgres(folder);
      try {
        await make({ id: "bigint", secret: "varchar(255)" });
        await act({
          query: async (text) => (await sql(text)).trimEnd(),
          seal: async (url, posted) => {
            const program = blockOf("bash").replace(URL_ON_PAGE, url);
            await runToEnd(["sh", "-c", program], { env: { ...env, ID: "7", SECRET: posted } });
          },
        });
      } finally {
        await stop();
      }
    });
  },
  php: inSqlite(async (folder, url) => {
    const file = `${folder}/${commandName(url)}.php`;
    await Deno.writeTextFile(
      file,
      `<?php\n${blockOf("php").replace(URL_ON_PAGE, url)}
      $db = new PDO("sqlite:$argv[1]", null, null, [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
      seal($db, (int) $argv[2], $argv[3]);\n`,
    );
    return ["php", file];
  }),
  cs: inSqlite(async (folder, url) => {
    const file = `${folder}/${commandName(url)}`;
    const using = [
      ...["System", "System.Collections.Generic", "System.Data.Common", "System.Net"],
      ...["System.Net.Http", "System.Text.RegularExpressions", "System.Threading.Tasks"],
    ];
    await Deno.writeTextFile(
      `${file}.cs`,
      `${using.map((name) => `using ${name};`).join("\n")}
      class Program {
        static void Main(string[] args) {
          using (var db = new Mono.Data.Sqlite.SqliteConnection("Data Source=" + args[0])) {
            db.Open();
            Seal(db, long.Parse(args[1]), args[2]).GetAwaiter().GetResult();
          }
        }
        ${blockOf("cs").replace(URL_ON_PAGE, url)}
      }\n`,
    );
    const references = ["System.Data", "System.Net.Http", "Mono.Data.Sqlite"];
    await run("mcs", [
      ...references.map((name) => `-r:${name}`),
      ...["-langversion:7.2", `-out:${file}.exe`, `${file}.cs`],
    ]);
    return ["mono", `${file}.exe`];
  }),
  java: inSqlite(async (folder, url) => {
    const classes = `${folder}/${commandName(url)}`;
    await Deno.mkdir(classes);
    const imports = [
      ...["java.net.*", "java.net.http.*", "java.nio.charset.StandardCharsets", "java.sql.*"],
      "java.util.concurrent.TimeUnit",
    ];
    await Deno.writeTextFile(
      `${classes}/Program.java`,
      `${imports.map((name) => `import ${name};`).join("\n")}
      class Program {
        public static void main(String[] args) throws Exception {
          Connection db = DriverManager.getConnection("jdbc:sqlite:" + args[0]);
          seal(db, Long.parseLong(args[1]), args[2]);
          System.exit(0);
        }
        ${blockOf("java").replace(URL_ON_PAGE, url)}
      }\n`,
    );
    await run("javac", ["-d", classes, `${classes}/Program.java`]);
    return ["java", "-cp", `${classes}:${JDBC}`, "Program"];
  }),
};

const JDBC = "/usr/share/java/sqlite-jdbc.jar";

Deno.test.beforeAll(async () => {
  await need(["sqlite3", "--version"], "sqlite3");
  await need(["php", "-r", "new PDO('sqlite::memory:');"], "php-sqlite3");
  await need(["test", "-e", JDBC], "libxerial-sqlite-jdbc-java");
  await need(["test", "-e", "/usr/lib/mono/4.5/Mono.Data.Sqlite.dll"], "libmono-sqlite4.0-cil");
});

function commandName(url: string): string {
  return `program${url.replace(/\D/g, "")}`;
}

type Answer = () => Response | Promise<Response>;

/** Answers that are no sealed secret to store. */
const ANSWERS: readonly (readonly [name: string, answer: Answer])[] = [
  ["a 404", () => new Response("Not found.", { status: 404 })],
  ["a sealed secret with 404", () => new Response(SEALED, { status: 404 })],
  ["a 503", () => new Response(SEALED, { status: 503, headers: { "retry-after": "1" } })],
  ["a 202", () => new Response(SEALED, { status: 202 })],
  [
    "a page of HTML with 200",
    () => new Response(`<html>\n${SEALED}\n</html>`, { headers: { "content-type": "text/html" } }),
  ],
  ["a page of HTML behind a sealed secret", () => new Response(`${SEALED}\n<html></html>`)],
  ["a redirection", () => new Response(SEALED, { status: 302, headers: { location: "/other" } })],
  ["an empty reply", () => new Response("")],
  ["a reply without its last character", () => new Response(SEALED.slice(0, -1))],
  ["a reply cut behind the last dot", () => new Response(SEALED.replace(/[^.]*$/, ""))],
  [
    "a reply longer than the column",
    () => new Response(SEALED.replace(/\.(?=[^.]*$)/, `${"A".repeat(255)}.`)),
  ],
  ["no reply in time", () => new Promise<Response>(() => {})],
];

for (const [language, withTable] of Object.entries(PROGRAMS)) {
  Deno.test({
    name: `the program in ${language} seals a row, leaves it when it is sealed, and seals it anew`,
    fn: async () => {
      await withTable(async ({ query, seal }) => {
        const row = async (): Promise<string> =>
          await query("SELECT secret FROM users WHERE id = 7");
        await query(
          `INSERT INTO users VALUES (7, ${literalOf(SECRET)}), (8, ${literalOf(SECRET)})`,
        );
        await seal(`${server.url}/seal`, SECRET);
        const sealed = await row();
        assertEquals((await openByJose(sealed)).text, SECRET);
        await seal(`${server.url}/seal`, sealed);
        assertEquals(await row(), sealed);
        const older = await sealByJose(SECRET, SEAL_KEY_LINES[1]);
        await query(`UPDATE users SET secret = ${literalOf(older)} WHERE id = 7`);
        await seal(`${server.url}/seal`, older);
        assertEquals((await openByJose(await row())).text, SECRET);
        assertEquals(await query("SELECT secret FROM users WHERE id = 8"), SECRET);
      });
    },
  });

  Deno.test({
    name:
      `the program in ${language} leaves the row for any answer but a whole sealed secret, and one that was changed meanwhile`,
    fn: async () => {
      await withTable(async ({ query, seal }) => {
        await query(`INSERT INTO users VALUES (7, ${literalOf(SECRET)})`);
        let answer: Answer | undefined;
        let posts = 0;
        const stub = Deno.serve(
          { port: 0, hostname: "127.0.0.1", onListen: () => {} },
          async (request) => {
            if (!request.url.endsWith("/seal")) return new Response("<html>", { status: 404 });
            const posted = new URLSearchParams(await request.text()).get("secretCode");
            assertEquals([request.method, posted], ["POST", SECRET]);
            posts++;
            return answer!();
          },
        );
        const url = `http://127.0.0.1:${stub.addr.port}/seal`;
        const row = async (): Promise<string> =>
          await query("SELECT secret FROM users WHERE id = 7");
        for (const [name, reply] of ANSWERS) {
          answer = reply;
          await seal(url, SECRET);
          assertEquals(await row(), SECRET, name);
        }
        assertEquals(posts, ANSWERS.length);
        answer = async () => {
          await query(`UPDATE users SET secret = ${literalOf(CHANGED)} WHERE id = 7`);
          return new Response(SEALED);
        };
        await seal(url, SECRET);
        assertEquals(await row(), CHANGED);
        // The same answer is stored where nobody changed the row.
        await query(`UPDATE users SET secret = ${literalOf(SECRET)} WHERE id = 7`);
        answer = () => new Response(SEALED);
        await seal(url, SECRET);
        assertEquals(await row(), SEALED);
        // The request without an answer is still open.
        await Promise.race([stub.shutdown(), new Promise((resolve) => setTimeout(resolve, 100))]);
      });
    },
    sanitizeOps: false,
    sanitizeResources: false,
  });
}
