/**
 * The package of the library in projects as its users have them: the programs of docs/embedding.md in
 * each runtime, signals, and compilers. Needs npm.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { randomBytes } from "node:crypto";
import { packLibrary } from "../../../release/npm.ts";
import { limitLife, runToEnd, spawn } from "../../support/child.ts";
import { eventually } from "../../support/eventually.ts";
import { startFakeRedis } from "../../support/fake_redis.ts";
import { freePort } from "../../support/free_port.ts";
import { read, ROOT } from "../../support/pages.ts";
import { referenceHotp } from "../../support/reference_totp.ts";
import { startTcpProxy } from "../../support/tcp_proxy.ts";

const [, BUN] = /BUN_VERSION=(\S+)/.exec(read("compile.sh"))!;

const PACKAGES = [
  ...["express@5.3.0", "fastify@5.12.8", "hono@4.13.19", "@hono/node-server@2.1.9"],
  ...["typescript@5.9.3", "@types/node@22.20.7"],
  ...["node-20@npm:node@20", "node-22@npm:node@22", "node-24@npm:node@24", `bun@${BUN}`],
];

/** The folder of a project with the package and all that the tests run, made once. */
const PROJECT: Promise<string> = (async () => {
  const cwd = await Deno.makeTempDir({ prefix: "authenticator-embedding-" });
  globalThis.addEventListener("unload", () => Deno.removeSync(cwd, { recursive: true }));
  const name = await packLibrary(cwd);
  await Deno.writeTextFile(`${cwd}/package.json`, '{ "type": "module" }');
  const words = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"];
  const installed = await runToEnd([...words, `./${name}`, ...PACKAGES], {
    cwd,
    deadlineMs: 600_000,
  });
  assertEquals(installed.code, 0, installed.stderr);
  return cwd;
})();

const NODES = ["22", "24"] as const;

const node = (version: string): readonly string[] => [`node_modules/node-${version}/bin/node`];

/** Runtimes that run a file, with their words before it. */
const RUNTIMES: Readonly<Record<string, readonly string[]>> = {
  "Node 22": node("22"),
  "Node 24": node("24"),
  "Bun": ["node_modules/.bin/bun"],
  "Deno": [Deno.execPath(), "run", "--quiet", "-A"],
};

const PAGE = "docs/embedding.md";

/** The one program of the page that holds a text. */
function program(text: string): string {
  const found = [...read(PAGE).matchAll(/^```js\n([^]*?)^```$/gm)].map(([, code]) => code!)
    .filter((code) => code.includes(text));
  assertEquals(found.length, 1, `${PAGE} has ${found.length} programs with ${text}`);
  return found[0]!;
}

async function written(name: string, code: string): Promise<string> {
  const cwd = await PROJECT;
  await Deno.writeTextFile(`${cwd}/${name}`, code);
  return cwd;
}

interface Serving {
  readonly base: string;
  readonly child: Deno.ChildProcess;
  /** What it has written to standard output and standard error. */
  readonly output: () => string;
}

/** Runs a program that serves until it is told to end, which must end it with status 0. */
async function whileServing(
  words: readonly string[],
  run: (serving: Serving) => Promise<void>,
  { env = {}, signal = "SIGTERM", port = freePort() }: {
    readonly env?: Readonly<Record<string, string>>;
    readonly signal?: Deno.Signal | undefined;
    readonly port?: number;
  } = {},
): Promise<void> {
  const [command, ...args] = words;
  const cwd = await PROJECT;
  const path = command!.startsWith("node_modules") ? `${cwd}/${command}` : command!;
  const child = spawn(path, {
    args,
    cwd,
    env: { ...env, PORT: `${port}`, NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  });
  limitLife(child, 300_000);
  let text = "";
  const reads = [child.stdout, child.stderr].map((stream) =>
    stream.pipeThrough(new TextDecoderStream())
      .pipeTo(new WritableStream({ write: (piece) => void (text += piece) }))
  );
  const base = `http://127.0.0.1:${port}`;
  let hasEnded = false;
  const status = child.status.then((ended) => (hasEnded = true, ended));
  try {
    const answers = (): Promise<boolean> =>
      fetch(base, { client }).then(
        async (reply) => (await reply.body?.cancel(), true),
        () => false,
      );
    await eventually(async () => hasEnded || await answers(), `${words.join(" ")} serves`);
    assert(!hasEnded, text);
    await run({ base, child, output: () => text });
    if (!hasEnded) child.kill(signal);
    const { code } = await status;
    if (signal === "SIGTERM") assertEquals(code, 0, text);
  } finally {
    if (!hasEnded) child.kill("SIGKILL");
    await Promise.all([status, ...reads]);
  }
}

const SECRET = "correct horse battery";

/** Acts with the code that the app shows now, which is right for half a minute more. */
async function withPin(act: (pin: string) => Promise<void>): Promise<void> {
  await act(referenceHotp(SECRET, Math.floor(Date.now() / 30_000)));
}

/** No connection stays open, for which a server would wait at its end. */
const client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });

async function post(url: string, body: BodyInit): Promise<readonly [number, string]> {
  const headers = typeof body === "string" ? { "content-type": "application/json" } : undefined;
  const reply = await fetch(url, { method: "POST", body, client, ...(headers && { headers }) });
  return [reply.status, await reply.text()];
}

for (const [name, words] of Object.entries(RUNTIMES)) {
  Deno.test(`docs/embedding.md: the program for Express pairs and checks in ${name}`, async () => {
    await written("express.js", program('from "express"'));
    await whileServing([...words, "express.js"], async ({ base, output }) => {
      const pairing = await (await fetch(`${base}/pairing`, { client })).text();
      assert(pairing.includes("<svg ") && pairing.includes("MNXXE4TFMN2CA2DPOJZWKIDCMF2HIZLSPE"));
      const login = (pin: string): Promise<readonly [number, string]> =>
        post(`${base}/login`, new URLSearchParams({ pin }));
      assertEquals(await login("12345"), [401, "Try again"]);
      await withPin(async (pin) => {
        assertEquals(await login(pin), [200, "Welcome"]);
        assertEquals(await login(pin), [401, "Try again"]);
      });
      await eventually(() => output().includes("replayed"), "the outcome is in the log");
      assert(output().includes("The pin has 5 digits, not 6."), output());
    });
  });

  Deno.test(`docs/embedding.md: the program for Fastify checks in ${name}`, async () => {
    await written("fastify.js", program('from "fastify"'));
    await whileServing([...words, "fastify.js"], async ({ base }) => {
      const login = async (pin: string): Promise<number> =>
        (await post(`${base}/login`, JSON.stringify({ pin })))[0];
      assertEquals(await login("12345"), 401);
      await withPin(async (pin) => assertEquals(await login(pin), 204));
    });
  });

  Deno.test(`docs/embedding.md: the service under a path of Hono names its public address in ${name}`, async () => {
    await written("app.js", program('from "hono"'));
    await written("serve.js", program('from "@hono/node-server"'));
    const port = freePort();
    const served = {
      Bun: [...words, "app.js"],
      Deno: [
        Deno.execPath(),
        "serve",
        "--quiet",
        "-A",
        "--host=127.0.0.1",
        `--port=${port}`,
        "app.js",
      ],
    }[name] ?? [...words, "serve.js"];
    // It has no handler of signals.
    await whileServing(served, async ({ base }) => {
      const get = async (path: string): Promise<readonly [number, string]> => {
        const reply = await fetch(`${base}/2fa${path}`, {
          client,
          headers: { "x-api-key": "0123456789abcdef" },
        });
        return [reply.status, await reply.text()];
      };
      const address = "https://www.example.com/2fa/api.asmx";
      const [status, wsdl] = await get("/api.asmx?wsdl");
      assertEquals(status, 200, wsdl);
      assert(wsdl.includes(`location="${address}"`), wsdl);
      assert((await get("/openapi.json"))[1].includes('"https://www.example.com/2fa"'));
      assert((await get("/api.asmx"))[1].includes("<form "));
      await withPin(async (pin) => {
        const query = new URLSearchParams({ pin, secretCode: SECRET });
        assert((await get(`/api.asmx/ValidatePin?${query}`))[1].includes(">true<"));
      });
      assertEquals((await post(`${base}/2fa/api.asmx`, "{}"))[0], 401);
    }, { signal: "SIGKILL", port });
  });

  Deno.test(`docs/embedding.md: the programs without a server run in ${name}`, async () => {
    const rows = [
      ["new.js", program("letters[byte % 32]"), /^[A-Z2-7]{32}\n$/],
      ["unlock.js", program("operatorFetch"), /remembered.*false/],
      ["clock.js", program("now: () => 59_000"), /^true\n$/],
      [
        "readme.js",
        /```js\n([^]*?)```/.exec(read("release/npm_readme.md"))![1]!,
        /^true false wrong\n$/,
      ],
      [
        "route_test.js",
        `import { POST } from "./route.js";
         const body = new URLSearchParams({ pin: "12345" });
         console.log((await POST(new Request("http://localhost", { method: "POST", body }))).status);`,
        /^401\n$/,
      ],
    ] as const;
    await written("route.js", program("export async function POST"));
    for (const [file, code, expected] of rows) {
      const cwd = await written(file, code);
      const { stdout, stderr } = await runToEnd(
        [
          words[0]!.startsWith("node_modules") ? `${cwd}/${words[0]}` : words[0]!,
          ...words.slice(1),
          file,
        ],
        { cwd, env: { NO_COLOR: "1" } },
      );
      assert(expected.test(stdout), `${file}: ${stdout}${stderr}`);
    }
  });
}

/** A program whose pins are in flight when it is told to end, with the usual handlers of signals. */
function loginProgram(onSignal: string): string {
  return `import express from "express";
import { createAuthenticator } from "@authenticator/service";
const auth = createAuthenticator({ guard: process.env.STORE, guardKey: Buffer.from(process.env.KEY, "hex") });
const app = express().use(express.urlencoded());
app.get("/", (_, response) => response.send("up"));
app.post("/login", async ({ body }, response) => {
  console.log("asked");
  response.send(\`\${await auth.validatePin({ pin: body.pin, secretCode: "${SECRET}" })}\`);
});
const server = app.listen(process.env.PORT, "127.0.0.1");
process.once("SIGTERM", async () => { console.log("told"); ${onSignal} });
`;
}

const HANDLERS = [
  "server.close(() => auth.close());",
  "server.close(); auth.close();",
  "auth.close(); server.close();",
  "server.close(); await auth.close(); process.exit();",
];

for (const handler of HANDLERS) {
  for (const version of NODES) {
    Deno.test(`no login in flight is lost by ${handler} in Node ${version}`, async () => {
      const store = startFakeRedis();
      const held = Promise.withResolvers<void>();
      let isHeld = false;
      const proxy = startTcpProxy(store.port, () => async (piece, sender) => {
        if (isHeld && sender === "store") await held.promise;
        return piece;
      });
      const env = {
        STORE: `redis://127.0.0.1:${proxy.port}?timeout=60000`,
        KEY: randomBytes(32).toString("hex"),
      };
      try {
        await written("login.js", loginProgram(handler));
        await whileServing([...node(version), "login.js"], async ({ base, child, output }) => {
          const login = async (pin: string): Promise<string> =>
            (await post(`${base}/login`, new URLSearchParams({ pin })))[1];
          assertEquals(await login("1"), "false");
          isHeld = true;
          await withPin(async (pin) => {
            const logins = Array.from({ length: 20 }, () => login(pin));
            await eventually(() => output().split("asked").length === 22, "20 pins are in flight");
            child.kill("SIGTERM");
            await eventually(() => output().includes("told"), "the program is told to end");
            held.resolve();
            assertEquals(await Promise.all(logins), Array(20).fill("true"));
          });
          assertEquals((await child.status).code, 0, output());
        }, { env });
      } finally {
        held.resolve();
        proxy.close();
        store.close();
      }
    });
  }
}

Deno.test("an older Node gets one sentence", async () => {
  const cwd = await written(
    "old.js",
    `import { createAuthenticator } from "@authenticator/service";
     try { createAuthenticator(); } catch ({ message }) { console.log(message); }`,
  );
  const { stdout, stderr } = await runToEnd([`${cwd}/${node("20")[0]}`, "old.js"], { cwd });
  assert(
    /^@authenticator\/service needs Node 22 or later: this is 20\.\S+\.\n$/.test(stdout),
    stderr,
  );
});

Deno.test("each link in the README of the package works from the package", async () => {
  const folder = `${await PROJECT}/node_modules/@authenticator/service`;
  const readme = await Deno.readTextFile(`${folder}/README.md`);
  const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target!);
  assert(links.length > 2);
  for (const link of links) assert((await Deno.stat(`${folder}/${link}`)).isFile, link);
  const { engines } = JSON.parse(await Deno.readTextFile(`${folder}/package.json`));
  assertEquals(engines, { node: ">=22" });
});

/** A program that uses each export, and what a framework hands over. */
const USER = `import { createAuthenticator, Fault, type PinCheck } from "@authenticator/service";
import { servicePage } from "@authenticator/service/page";
import * as otp from "@authenticator/service/otp";
import * as hmac from "@authenticator/service/otp/hmac-sha1";
import * as keyUri from "@authenticator/service/otp/key-uri";
import * as qr from "@authenticator/service/qr";
import * as svg from "@authenticator/service/qr/svg";
import * as png from "@authenticator/service/qr/png";
import * as xml from "@authenticator/service/xml";
import * as writer from "@authenticator/service/xml/writer";

export async function use(ip: string | undefined): Promise<unknown> {
  const auth = createAuthenticator({ window: 1 }, {
    page: servicePage,
    log: console,
    telemetry: { observe: ({ outcome, facts }) => console.log(outcome, facts?.secret) },
  });
  const check: PinCheck = await auth.checkPin({ pin: "1", secretCode: "a", source: ip });
  if (check.outcome === "throttled") console.log(check.retryAfterMs);
  else if (check.isRight) console.log(check.distance);
  else if (check.outcome === "wrong") console.log(check.reason);
  const response: Response = await auth.fetch(new Request("http://localhost/"));
  await auth.close();
  await auth[Symbol.asyncDispose]();
  return [response, Fault, otp, hmac, keyUri, qr, svg, png, xml, writer];
}
`;

const NODE_16 = { module: "node16", moduleResolution: "node16" };
const BUNDLER = { module: "esnext", moduleResolution: "bundler" };

/** Options of TypeScript of the projects that use the package, beside \`strict\`. */
const COMPILERS: readonly Readonly<Record<string, unknown>>[] = [
  NODE_16,
  BUNDLER,
  { module: "esnext", moduleResolution: "node10" },
  { module: "commonjs", moduleResolution: "node10" },
  { module: "nodenext", moduleResolution: "nodenext" },
  { ...NODE_16, exactOptionalPropertyTypes: true },
  { ...NODE_16, lib: ["es2022"] },
  { ...BUNDLER, lib: ["es2022", "dom"] },
  { ...BUNDLER, lib: ["esnext"] },
  { ...NODE_16, isolatedModules: true, verbatimModuleSyntax: true },
  { ...NODE_16, noUncheckedIndexedAccess: true, noPropertyAccessFromIndexSignature: true },
];

for (const options of COMPILERS) {
  Deno.test(`the types of the package compile with ${JSON.stringify(options)}`, async () => {
    await written("user.ts", USER);
    const compilerOptions = {
      ...{ target: "es2022", types: ["node"], strict: true, noEmit: true },
      // The types of packages are checked, but for TypeScript's own, which are most of all.
      ...{ skipLibCheck: false, skipDefaultLibCheck: true },
      ...options,
    };
    const cwd = await written(
      "tsconfig.json",
      JSON.stringify({ compilerOptions, files: ["user.ts"] }),
    );
    const { code, stdout } = await runToEnd([`${cwd}/node_modules/.bin/tsc`, "--pretty", "false"], {
      cwd,
    });
    assertEquals([code, stdout], [0, ""]);
  });
}

for (const compilerOptions of [{}, { exactOptionalPropertyTypes: true }]) {
  Deno.test(`the sources compile in a project of Deno with ${JSON.stringify(compilerOptions)}`, async () => {
    const cwd = await Deno.makeTempDir();
    try {
      const importMap = new URL("import_map.json", ROOT).href;
      await Deno.writeTextFile(
        `${cwd}/deno.json`,
        JSON.stringify({ importMap, compilerOptions }),
      );
      const paths: Readonly<Record<string, string>> = JSON.parse(read("deno.json")).exports;
      const user = USER.replace(
        /"@authenticator\/service([^"]*)"/g,
        (_, name) => JSON.stringify(new URL(paths[`.${name}`]!, ROOT).href),
      );
      await Deno.writeTextFile(`${cwd}/user.ts`, user);
      const { code, stderr } = await runToEnd([Deno.execPath(), "check", "user.ts"], {
        cwd,
        env: { NO_COLOR: "1" },
      });
      assertEquals(code, 0, stderr);
    } finally {
      await Deno.remove(cwd, { recursive: true });
    }
  });
}
