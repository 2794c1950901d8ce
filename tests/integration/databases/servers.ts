/**
 * A real PostgreSQL and a real MariaDB for tests: each on a unix socket in a temporary folder, with a
 * database `shop` that has a table `users`.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { need, runToEnd, spawn } from "../../support/child.ts";
import { eventually } from "../../support/eventually.ts";

/** Table of users: the types of its columns, and the encoding of its texts. */
export interface Table {
  /** The type of `id`. */
  readonly id: string;
  /** The type of `secret`. */
  readonly secret: string;
  /** Whether texts are in Latin-1; in UTF-8 unless given. */
  readonly isLatin1?: boolean;
}

/** A database server that runs. */
export interface DatabaseServer {
  /** The name, as docs/sealing.md has it. */
  readonly name: "PostgreSQL" | "MariaDB";
  /** The client of the blocks. */
  readonly client: "psql" | "mariadb";
  /** Environment variables with which the client finds the server. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs SQL in the database, and returns its rows. */
  readonly sql: (text: string) => Promise<string>;
  /** Makes the database and the table anew. */
  readonly make: (table: Table) => Promise<void>;
  /** SQL of a text. */
  readonly literal: (text: string) => string;
  /** SQL of the UTF-8 bytes of a column, in hexadecimal. */
  readonly hex: (column: string) => string;
  /** SQL statement that ends its own session, as a lost connection would. */
  readonly suicide: string;
  /** SQL of the number of sessions that wait for a lock. */
  readonly waiting: string;
  /** Stops the server. */
  readonly stop: () => Promise<void>;
}

/** Sets rows of the table. */
export async function fill(
  { sql, literal }: DatabaseServer,
  rows: Iterable<readonly [id: string, secret: string | undefined]>,
): Promise<void> {
  const values = [...rows].map(([id, secret]) =>
    `(${literal(id)}, ${secret === undefined ? "NULL" : literal(secret)})`
  );
  await sql(`DELETE FROM users; INSERT INTO users VALUES ${values.join(", ")}`);
}

/** The rows of the table; a secret that is null is undefined. */
export async function rowsOf(
  { sql, hex }: DatabaseServer,
): Promise<ReadonlyMap<string, string | undefined>> {
  const output = await sql(`SELECT ${hex("id")}, COALESCE(${hex("secret")}, 'none') FROM users`);
  const textOf = (digits: string): string => Buffer.from(digits, "hex").toString();
  return new Map(
    output.split("\n").filter((line) => line !== "").map((line) => {
      const [id = "", secret = ""] = line.split(/[|\t]/);
      return [textOf(id), secret === "none" ? undefined : textOf(secret)];
    }),
  );
}

const isRoot = Deno.uid() === 0;

/** Words that run a program as a user; neither server runs as root. */
function as(user: string): readonly string[] {
  return isRoot ? ["setpriv", "--reuid", user, "--regid", user, "--clear-groups"] : [];
}

async function run(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { code, stdout, stderr } = await runToEnd(words, { env, cwd: "/" });
  if (code !== 0) throw new Error(`${words.join(" ").slice(0, 200)}: ${stderr.slice(0, 1000)}`);
  return stdout;
}

async function folderFor(folder: string, user: string): Promise<string> {
  const path = `${folder}/${user}`;
  await Deno.mkdir(path);
  await Deno.chmod(folder, 0o755);
  if (isRoot) await run(["chown", user, path]);
  return path;
}

/**
 * Starts a PostgreSQL.
 *
 * @throws {Error} When it is missing, with the name of its package.
 */
export async function startPostgres(parent: string): Promise<DatabaseServer> {
  await need(["psql", "--version"], "postgresql");
  const versions = [...Deno.readDirSync("/usr/lib/postgresql")].map(({ name }) => name);
  const bin = `/usr/lib/postgresql/${versions.toSorted((a, b) => Number(b) - Number(a))[0]}/bin`;
  const folder = await folderFor(parent, "postgres");
  const data = `${folder}/data`;
  await run([
    ...as("postgres"),
    `${bin}/initdb`,
    "-D",
    data,
    "-A",
    "trust",
    "-U",
    "shop",
    "--no-sync",
  ]);
  const options = `-k ${folder} -c listen_addresses= -c fsync=off`;
  const control = [...as("postgres"), `${bin}/pg_ctl`, "-D", data, "-w", "-m", "immediate"];
  await run([...control, "-o", options, "-l", `${folder}/log`, "start"]);
  const env = { PGHOST: folder, PGUSER: "shop" };
  const sqlOf = (name: string) => (text: string): Promise<string> =>
    run(["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", name, "-c", text], {
      ...env,
      PGCLIENTENCODING: "UTF8",
    });
  return {
    name: "PostgreSQL",
    client: "psql",
    env,
    sql: sqlOf("shop"),
    literal: (text) => `'${text.replaceAll("'", "''")}'`,
    hex: (column) => `encode(convert_to(${column}::text, 'UTF8'), 'hex')`,
    suicide: "SELECT pg_terminate_backend(pg_backend_pid())",
    waiting: "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
    make: async ({ id, secret, isLatin1 = false }) => {
      const sql = sqlOf("postgres");
      await sql("DROP DATABASE IF EXISTS shop WITH (FORCE)");
      const encoding = isLatin1 ? "LATIN1" : "UTF8";
      await sql(`CREATE DATABASE shop TEMPLATE template0 LOCALE 'C' ENCODING '${encoding}'`);
      await sqlOf("shop")(`CREATE TABLE users (id ${id} PRIMARY KEY, secret ${secret})`);
    },
    stop: async () => void await run([...control, "stop"]),
  };
}

/**
 * Starts a MariaDB.
 *
 * @throws {Error} When it is missing, with the name of its package.
 */
export async function startMariaDb(parent: string): Promise<DatabaseServer> {
  await need(["mariadb", "--version"], "mariadb-server");
  await need(["mariadbd", "--version"], "mariadb-server");
  const folder = await folderFor(parent, "mysql");
  const [data, socket] = [`${folder}/data`, `${folder}/socket`];
  const user = isRoot ? ["--user=mysql"] : [];
  await run([
    ...["mariadb-install-db", "--no-defaults", ...user, `--datadir=${data}`],
    ...["--auth-root-authentication-method=normal", "--skip-test-db"],
  ]);
  const server = spawn("mariadbd", {
    args: [
      ...["--no-defaults", ...user, `--datadir=${data}`, `--socket=${socket}`],
      ...["--skip-networking", "--innodb-flush-log-at-trx-commit=0"],
    ],
    cwd: "/",
    stdin: "null",
    stdout: "null",
    stderr: "null",
  });
  // The client reads this file of its user.
  const home = `${parent}/home`;
  await Deno.mkdir(home);
  await Deno.writeTextFile(`${home}/.my.cnf`, `[client]\nsocket=${socket}\nuser=root\n`);
  const env = { HOME: home };
  const sqlOf = (name: string) => (text: string): Promise<string> =>
    run(["mariadb", name, "--default-character-set=utf8mb4", "-N", "--batch", "-e", text], env);
  await eventually(
    () => sqlOf("mysql")("SELECT 1").then(() => true, () => false),
    "MariaDB answers",
  );
  return {
    name: "MariaDB",
    client: "mariadb",
    env,
    sql: sqlOf("shop"),
    literal: (text) => `CONVERT(X'${Buffer.from(text).toString("hex")}' USING utf8mb4)`,
    hex: (column) => `HEX(CONVERT(${column} USING utf8mb4))`,
    suicide: "KILL CONNECTION CONNECTION_ID()",
    waiting: "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'",
    make: async ({ id, secret, isLatin1 = false }) => {
      const charset = isLatin1 ? "latin1" : "utf8mb4";
      await sqlOf("mysql")(
        `DROP DATABASE IF EXISTS shop; CREATE DATABASE shop CHARACTER SET ${charset}`,
      );
      await sqlOf("shop")(`CREATE TABLE users (id ${id} PRIMARY KEY, secret ${secret})`);
    },
    stop: async () => {
      server.kill("SIGKILL");
      await server.status;
    },
  };
}
