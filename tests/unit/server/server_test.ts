import process from "node:process";
import { protectionsOf } from "../../../lib/config/protections.ts";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { assertThrows } from "@std/assert/throws";
import { type KeyFileOption, readKeys, type ServerKeys } from "../../../lib/server/files/keys.ts";
import {
  createServerService,
  type ServerService,
  type ServerState,
} from "../../../lib/server/server.ts";
import { OptionFileError, UsageError } from "../../../lib/config/option.ts";
import { keyNameOf } from "../../../lib/system/key_file.ts";
import type { ServerStatus } from "../../../lib/telemetry/status.ts";
import type { Runtime } from "../../../lib/server/runtime/runtime.ts";
import { configOf } from "../../support/command.ts";
import { eventually } from "../../support/eventually.ts";
import { withFolder } from "../../support/folder.ts";
import { SEAL_KEY_LINES, sealByJose } from "../../support/seal_keys.ts";
import { freePort } from "../../support/free_port.ts";
import { startFakeRedis } from "../../support/fake_redis.ts";
import { ManualTimers } from "../../support/timers.ts";

// The self-check of a service may outlive a test that calls nothing.
Deno.test.sanitizer({ ops: false });

/** A service of a test, and what it wrote. */
interface Setup extends
  Pick<
    ServerService,
    "handler" | "operatorHandler" | "log" | "guardReady" | "close" | "onDrop"
  > {
  /** Reads a file of keys again; gives the names of the keys, and whether they differ. */
  readonly renewKeys: (option?: KeyFileOption) => ReturnType<ServerKeys["renew"]>;
  /** Asks for a path, and gives the reply. */
  readonly get: (path: string, headers?: HeadersInit) => Promise<Response>;
  readonly written: string[];
  readonly state: ServerService["state"];
  /** The disk behind the log. */
  readonly disk: { isFull: boolean };
}

function setup(args: readonly string[] = []): Setup {
  const written: string[] = [];
  const disk = { isFull: false };
  const runtime: Runtime = {
    title: "Runtime",
    target: "machine",
    sharesPorts: true,
    serve: () => assert(false, "Nobody listens here") as never,
    tryTls: () => {},
    writeOut: () => Promise.resolve(),
    writeError: (text) => {
      if (disk.isFull) return Promise.reject(new Error("ENOSPC"));
      written.push(text);
      return Promise.resolve();
    },
  };
  const service = createServerService(runtime, configOf(args), {
    version: "1.2.3",
    color: false,
  });
  service.state.isReady = true;
  const get = (path: string, headers: HeadersInit = {}): Promise<Response> => {
    const request = new Request(`http://localhost${path}`, { headers });
    service.peers?.set(request, "192.0.2.1");
    return service.handler(request);
  };
  return {
    get,
    written,
    state: service.state,
    disk,
    onDrop: service.onDrop,
    log: service.log,
    handler: service.handler,
    operatorHandler: service.operatorHandler,
    renewKeys: (option: KeyFileOption = "apiKeysFile") => service.keys.renew(option),
    guardReady: () => service.guardReady(),
    close: () => service.close(),
  };
}

const WRONG_PIN = "/api.asmx/ValidatePin?pin=1&secretCode=x";

Deno.test("createServerService() counts and logs each request, with an id of its own", async () => {
  const { get, close, written } = setup(["--metrics"]);
  const ids: string[] = [];
  for (let i = 0; i < 2; i++) {
    const reply = await get(WRONG_PIN);
    assertMatch(await reply.text(), />false<\/boolean>$/);
    ids.push(reply.headers.get("x-request-id") ?? "");
  }
  for (const id of ids) assertMatch(id, /^[0-9a-f]{10}-[0-9a-f]{20}$/);
  const page = await (await get("/metrics")).text();
  assert(page.includes('authenticator_build_info{version="1.2.3"} 1\n'), page);
  await close();
  const lines = written.join("").match(/^\S+ info request .* operation=ValidatePin .*$/gm);
  assertEquals(lines?.length, 2, written.join(""));
  for (const line of lines ?? []) assertMatch(line, / ms=[0-9.]+( |$)/);
  assertEquals(lines?.map((line) => / id=(\S+)$/.exec(line)?.[1]), ids);
});

Deno.test("createServerService() names requests without counting them", async () => {
  const { get, close } = setup();
  const namesOf = async (get: Setup["get"], count: number): Promise<readonly string[]> => {
    const names: string[] = [];
    for (let i = 0; i < count; i++) {
      const reply = await get("/healthz");
      await reply.body?.cancel();
      names.push(reply.headers.get("x-request-id") ?? "");
    }
    return names;
  };
  const names = await namesOf(get, 2_000);
  assertEquals(new Set(names).size, names.length);
  // All of one server begin alike, and those of another in another way.
  const beginnings = (
    names: readonly string[],
  ): readonly string[] => [...new Set(names.map((name) => name.split("-")[0]!))];
  const [beginning, ...more] = beginnings(names);
  assertEquals(more, []);
  const other = setup();
  assert(beginnings(await namesOf(other.get, 1))[0] !== beginning);
  // As many go up from one to the next as go down, and no digit has one value more often than another.
  const ups = names.filter((name, i) => i > 0 && name > names[i - 1]!).length;
  assert(ups > 800 && ups < 1_200, String(ups));
  for (let place = 11; place < 31; place++) {
    const counts = Map.groupBy(names, (name) => name[place]);
    assertEquals(counts.size, 16);
    for (const [digit, having] of counts) {
      assert(having.length > 50 && having.length < 230, `${place} ${digit} ${having.length}`);
    }
  }
  await Promise.all([close(), other.close()]);
});

Deno.test("createServerService() has metrics of its process", async () => {
  const { get, close } = setup(["--metrics"]);
  const usedSeconds = (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  };
  const before = usedSeconds();
  const page = await (await get("/metrics")).text();
  const after = usedSeconds();
  const figure = (name: string): number =>
    Number(new RegExp(`^${name} (\\S+)$`, "m").exec(page)?.[1]);
  assertEquals(figure("process_start_time_seconds"), performance.timeOrigin / 1000);
  const used = figure("process_cpu_seconds_total");
  assert(used >= before && used <= after, `${before} ${used} ${after}`);
  assert(figure("process_resident_memory_bytes") > 1_048_576);
  await close();
});

Deno.test("createServerService() counts wrong pins and the entries of its guard, with a guard", async () => {
  const figures = async (args: readonly string[]): Promise<readonly string[]> => {
    const { get, close } = setup(["--metrics", ...args]);
    for (const secret of ["x", "y", "y"]) {
      const reply = await get(`/api.asmx/ValidatePin?pin=1&secretCode=${secret}`);
      await reply.body?.cancel();
    }
    const page = await (await get("/metrics")).text();
    await close();
    const names = "wrong_pins_total|entries|evictions_total";
    return page.match(new RegExp(`(?<=^authenticator_guard_)(${names}).*$`, "gm")) ?? [];
  };
  const [none, one] = ["0", "1"].map((count) => [
    `evictions_total{class="used"} 0`,
    `evictions_total{class="known"} 0`,
    `evictions_total{class="failed"} ${count}`,
    `evictions_total{class="throttled"} 0`,
    `evictions_total{class="store"} 0`,
  ]);
  const seen = ["wrong_pins_total 3"];
  assertEquals((await figures([])).toSorted(), [...seen, "entries 2", ...none!].toSorted());
  assertEquals(
    (await figures(["--guard-entries", "1"])).toSorted(),
    [...seen, "entries 1", ...one!].toSorted(),
  );
  assertEquals(
    (await figures(["--max-failures", "0"])).toSorted(),
    ["wrong_pins_total 0", ...none!].toSorted(),
  );
  // Nothing listens on that port, and what a store remembers is not counted here.
  const store = await figures(["--guard", "redis://127.0.0.1:9"]);
  assertEquals(store.filter((figure) => /^(wrong_pins_total|entries) /.test(figure)), [
    "wrong_pins_total 0",
  ]);
});

Deno.test("createServerService() evicts from a full guard without metrics too", async () => {
  const { get, close } = setup(["--guard-entries", "1"]);
  for (const secret of ["x", "y"]) {
    const reply = await get(`/api.asmx/ValidatePin?pin=1&secretCode=${secret}`);
    assertMatch(await reply.text(), />false<\/boolean>$/);
  }
  await close();
});

Deno.test("createServerService() reports the state of its guard to the operator", async () => {
  const { get, operatorHandler, close, written } = setup(["--max-failures", "1"]);
  const ask = async (path: string, init?: RequestInit): Promise<unknown> =>
    await (await operatorHandler(new Request(`http://localhost${path}`, init))).json();
  await (await get(WRONG_PIN)).body?.cancel();
  const size = async (): Promise<unknown> => (await ask("/status") as { guard: unknown }).guard;
  assertEquals(await size(), { entries: 1, throttled: 1 });
  const named = await ask("/guard/name", { method: "POST", body: "x" });
  const unlock = async (secret: string): Promise<unknown> =>
    (await ask("/guard/unlock", { method: "POST", body: secret }) as { remembered: boolean })
      .remembered;
  assertEquals([await unlock("mistyped"), await unlock("x")], [false, true]);
  assertEquals(await size(), { entries: 0, throttled: 0 });
  assertEquals(await unlock("x"), false);
  await close();
  const { name } = named as { readonly name: string };
  const lines = written.join("").match(/ route=guard\/unlock .*/g)!;
  assertEquals(lines.map((line) => line.includes(` secret=${name} outcome=ok `)), [
    false,
    true,
    true,
  ]);
});

Deno.test("createServerService() has no page of metrics and no keys unless the options have them", async () => {
  const { get, close, written } = setup();
  const reply = await get("/metrics");
  assertEquals(reply.status, 404);
  await reply.body?.cancel();
  await close();
  assertMatch(written.join(""), /^\S+ info request [^\n]*\n$/);
});

Deno.test("a seal key that is an API key too is refused at the start and at each reload", async () => {
  await withFolder(async (folder) => {
    const [api, seal] = [`${folder}/api`, `${folder}/seal`];
    const put = (apiKey: string, sealKey: string): void => {
      Deno.writeTextFileSync(api, `web:${apiKey}\n`);
      Deno.writeTextFileSync(seal, `old:${"01".repeat(32)}\nnew:${sealKey}\n`);
    };
    const [one, other] = ["aB".repeat(32), "cd".repeat(32)];
    const args = ["--api-keys-file", api, "--seal-keys-file", seal];
    const sentence = "the key new of --seal-keys-file is a key of --api-keys-file too";
    put(one, one.toLowerCase());
    assertThrows(() => setup(args), OptionFileError, sentence);
    put(one, other);
    const { renewKeys, close } = setup(args);
    put(other, other);
    assertThrows(() => renewKeys("apiKeysFile"), OptionFileError, sentence);
    put(one, one);
    assertThrows(() => renewKeys("sealKeysFile"), OptionFileError, sentence);
    put(one, "ef".repeat(32));
    assertEquals(renewKeys("apiKeysFile").isChanged, false);
    assertEquals(renewKeys("sealKeysFile").isChanged, true);
    // Each reload compares with the keys of the last one alone: what was a seal key may be an API key.
    const keys = ["12", "23", "34", "45"].map((digits) => digits.repeat(32));
    for (const [i, next] of keys.slice(1).entries()) {
      const last = keys[i]!;
      put(last, next);
      assertEquals(renewKeys("sealKeysFile").isChanged, true);
      assertEquals(renewKeys("apiKeysFile").isChanged, true);
      put(next, last);
      assertThrows(() => renewKeys("sealKeysFile"), OptionFileError, sentence);
      assertThrows(() => renewKeys("apiKeysFile"), OptionFileError, sentence);
    }
    await close();
  });
});

Deno.test("createServerService() with an operator port has the metrics only there, without an API key", async () => {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/keys`, "0123456789abcdef");
  const keys = ["--api-keys-file", `${folder}/keys`];
  for (const more of [[], ["--metrics"]]) {
    const { get, operatorHandler, close } = setup(["--metrics-port", "9101", ...keys, ...more]);
    const call = await get(WRONG_PIN, { "x-api-key": "0123456789abcdef" });
    assertMatch(await call.text(), />false<\/boolean>$/);
    const reply = await get("/metrics", { "x-api-key": "0123456789abcdef" });
    assertEquals([reply.status, await reply.text()], [404, "Not found.\r\n"]);
    const page = await (await operatorHandler(new Request("http://localhost/metrics"))).text();
    assert(page.includes('operation="ValidatePin"'), page);
    const headers = { "x-api-key": "0123456789abcdef" };
    const uncalled = await operatorHandler(
      new Request(`http://localhost${WRONG_PIN}`, { headers }),
    );
    assertEquals([uncalled.status, await uncalled.text()], [404, "Not found.\r\n"]);
    await close();
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a service is ready while the server is, once its store has answered", async () => {
  const { get, operatorHandler, state, close } = setup();
  const status = async (get: Setup["get"]): Promise<number> => {
    const reply = await get("/readyz");
    await reply.body?.cancel();
    return reply.status;
  };
  assertEquals(await status(get), 200);
  state.isReady = false;
  assertEquals(await status(get), 503);
  assertEquals(
    await status((path) => operatorHandler(new Request(`http://localhost${path}`))),
    503,
  );
  await close();
  const bare = setup(["--max-failures", "0"]);
  assertEquals(await status(bare.get), 200);
  const shown = await bare.operatorHandler(new Request("http://localhost/status"));
  assertEquals((await shown.json()).store, "off");
  await bare.close();
  // Nothing listens on that port, and nothing has answered yet.
  const storeless = setup(["--guard", "redis://127.0.0.1:9"]);
  assertEquals(await status(storeless.get), 503);
  await storeless.close();
});

Deno.test("a service whose store is away stays ready, with a log line, a metric and a problem in /status", async () => {
  const store = startFakeRedis();
  const { get, operatorHandler, close } = setup([
    "--metrics",
    "--guard",
    `${store.url}?timeout=60000`,
  ]);
  const says = async (text: string, up: number): Promise<boolean> => {
    const reply = await get("/readyz");
    const page = await (await get("/metrics")).text();
    return await reply.text() === text && reply.status === 200 &&
      page.includes(`\nauthenticator_guard_store_up ${up}\n`);
  };
  const problems = async (): Promise<unknown> =>
    (await (await operatorHandler(new Request("http://localhost/status"))).json()).problems;
  await eventually(() => says("ok", 1));
  assertEquals(await problems(), []);
  store.close();
  await eventually(() => says("ok; the store does not answer", 0));
  assertEquals(await problems(), ["the store of the guard does not answer"]);
  await close();
});

Deno.test("a service names in /status, the log and the metrics what is wrong between it and its store", async () => {
  const day = Math.floor(Date.now() / 1000) - 90;
  let evicted = 0;
  const store = startFakeRedis(([command, , count]) => {
    if (command === "TIME") return [String(day), "0"];
    if (command === "INFO") return `evicted_keys:${evicted += 7}`;
    // The script that counts guard keys has one key, too.
    return command === "EVAL" && count === "1" ? 1 : "OK";
  });
  const { get, operatorHandler, written, close } = setup([
    "--metrics",
    "--guard",
    `${store.url}?timeout=60000`,
  ]);
  const problems = async (): Promise<string> => {
    const { problems } = await (await operatorHandler(new Request("http://localhost/status")))
      .json();
    return problems.join("\n");
  };
  await eventually(async () => (await problems()).includes("guard keys"));
  const text = await problems();
  assertMatch(text, /^the clock is \d+ s ahead of that of the store of the guard$/m);
  assertMatch(text, /^the store of the guard has servers with different guard keys, .*-key-file$/m);
  const seconds = /^authenticator_guard_clock_ahead_seconds (.*)$/m.exec(
    await (await get("/metrics")).text(),
  );
  assert(Number(seconds?.[1]) >= 89);
  await close();
  store.close();
  const log = written.join("");
  assertMatch(log, /warn the clock is \d+ s ahead of that of the store of the guard, redis:/);
  assertMatch(log, /warn the store of the guard, \S+, has servers with different guard keys/);
});

// What the command keeps up to date, with a value of its own for each.
const SERVER_STATE: Required<ServerState> = {
  isReady: true,
  address: "https://a.example",
  certificateUntilMs: Date.parse("2126-10-27T10:23:28.500Z"),
  lastReload: { at: "2026-01-31T12:00:00.000Z", lines: ["one", "other"] },
  drops: 3,
  refusedReloads: 5,
};

Deno.test("the metrics of a server have what happened to it, a figure of its own for each", async () => {
  const { get, log, written, state, disk, onDrop, close } = setup(["--metrics"]);
  Object.assign(state, SERVER_STATE);
  onDrop();
  // Two secrets, one of them twice.
  for (const secret of ["x", "y", "y"]) {
    await (await get(`/api.asmx/ValidatePin?pin=1&secretCode=${secret}`)).body?.cancel();
  }
  await close();
  disk.isFull = true;
  for (let i = 0; i < 6; i++) log.info("lost");
  await close();
  disk.isFull = false;
  log.info("kept");
  await close();
  const page = await (await get("/metrics")).text();
  const samples = page.matchAll(/^(authenticator_(?!pin_step_distance)\w+) (\S+)$/gm);
  assertEquals(Object.fromEntries([...samples].map(([, name, value]) => [name, Number(value)])), {
    authenticator_guard_wrong_pins_total: 3,
    authenticator_guard_store_errors_total: 0,
    authenticator_guard_entries: 2,
    authenticator_certificate_expiry_timestamp_seconds: 4_948_770_208.5,
    authenticator_connections_dropped_total: 4,
    authenticator_reloads_refused_total: 5,
    authenticator_log_lines_lost_total: 6,
  });
  assertMatch(written.join(""), /\n\S+ info kept\n\S+ warn log lines lost: 6\n$/);
  await close();
});

Deno.test("/status has the value of each part of a server, for a caller with a key", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/api`, `web:0123456789abcdef\n${"l".repeat(32)}\n`);
    await Deno.writeTextFile(`${folder}/seal`, SEAL_KEY_LINES.join("\n"));
    const guardKey = "g".repeat(32);
    await Deno.writeTextFile(`${folder}/guard`, guardKey);
    const args = [
      ...["--api-keys-file", `${folder}/api`, "--seal-keys-file", `${folder}/seal`],
      ...["--guard-key-file", `${folder}/guard`, "--max-failures", "1"],
      ...["--metrics-port", "9101"],
    ];
    const { get, operatorHandler, state, close } = setup(args);
    const headers = { "x-api-key": "0123456789abcdef" };
    const status = async (): Promise<ServerStatus> =>
      await (await operatorHandler(new Request("http://localhost/status", { headers }))).json();
    assertEquals((await operatorHandler(new Request("http://localhost/status"))).status, 401);
    Object.assign(state, SERVER_STATE);
    await (await get(WRONG_PIN, headers)).body?.cancel();
    const { since, ...shown } = await status();
    assertEquals(since, new Date(performance.timeOrigin).toISOString());
    assertEquals(shown, {
      problems: [],
      version: "1.2.3",
      protections: protectionsOf(configOf(args)),
      keys: ["web", null],
      sealKeys: ["new", "old"],
      secrets: { plain: 1, sealed: 0, "older-key": 0 },
      store: "memory",
      guardKey: keyNameOf(new TextEncoder().encode(guardKey)),
      address: "https://a.example",
      certificateUntil: "2126-10-27T10:23:28.500Z",
      reload: { at: "2026-01-31T12:00:00.000Z", lines: ["one", "other"] },
      guard: { entries: 1, throttled: 1 },
    });
    state.certificateUntilMs = Date.now() + 60_000;
    assertEquals((await status()).problems, []);
    state.certificateUntilMs = Date.now() - 1;
    state.isReady = false;
    assertEquals((await status()).problems, [
      "the server does not take requests",
      "the certificate has expired",
    ]);
    await close();
  });
});

Deno.test("createServerService() requires one of the API keys when the options name a file of them", async () => {
  const path = Deno.makeTempFileSync();
  const key = "k".repeat(32);
  Deno.writeTextFileSync(path, `${key}\n`);
  const { get, renewKeys, operatorHandler, close } = setup(["--api-keys-file", path]);
  const namesFor = async (key: string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${key}` };
    const reply = await operatorHandler(new Request("http://localhost/status", { headers }));
    return (await reply.json()).keys;
  };
  assertEquals(await namesFor(key), [null]);
  assertEquals((await get(WRONG_PIN)).status, 401);
  assertEquals((await get(WRONG_PIN, { authorization: `Bearer ${key}` })).status, 200);
  const next = "n".repeat(32);
  Deno.writeTextFileSync(path, `billing:${next}\n`);
  assertEquals(renewKeys(), { names: ["billing"], isChanged: true });
  assertEquals(await namesFor(next), ["billing"]);
  assertEquals((await get(WRONG_PIN, { authorization: `Bearer ${key}` })).status, 401);
  assertEquals((await get(WRONG_PIN, { authorization: `Bearer ${next}` })).status, 200);
  Deno.writeTextFileSync(path, `\uFEFFbilling:${next}\r\n`);
  assertEquals(renewKeys(), { names: ["billing"], isChanged: false });
  Deno.writeTextFileSync(path, "canary\n");
  assertThrows(renewKeys, UsageError, "line 1");
  assertEquals((await get(WRONG_PIN, { authorization: `Bearer ${next}` })).status, 200);
  await close();
  const { message } = assertThrows(() => readKeys(path), UsageError);
  assertMatch(message, /^the file of --api-keys-file cannot be used: (?!.*canary)./);
  Deno.removeSync(path);
  assertThrows(() => readKeys(path), UsageError, "the file of --api-keys-file cannot be read");
});

Deno.test("createServerService() opens what its seal keys have sealed, and reads them again", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/keys`;
    const put = (...lines: readonly string[]): void =>
      Deno.writeTextFileSync(path, lines.join("\n"));
    const [first, second] = SEAL_KEY_LINES;
    put(first);
    const { get, renewKeys, operatorHandler, written, close } = setup([
      ...["--seal-keys-file", path, "--metrics-port", "9101"],
    ]);
    const status = async (): Promise<{ readonly sealKeys: unknown; readonly secrets: unknown }> =>
      await (await operatorHandler(new Request("http://localhost/status"))).json();
    const names = async (): Promise<unknown> => (await status()).sealKeys;
    const statusOf = async (line: string): Promise<number> => {
      const sealed = await sealByJose("canary", line);
      return (await get(`/api.asmx/ValidatePin?pin=1&secretCode=${sealed}`)).status;
    };
    assertEquals([await statusOf(first), await statusOf(second), await names()], [200, 400, [
      "new",
    ]]);
    put(first, second);
    assertEquals(renewKeys("sealKeysFile"), { names: ["new", "old"], isChanged: true });
    assertEquals(renewKeys("sealKeysFile").isChanged, false);
    assertEquals([await statusOf(first), await statusOf(second)], [200, 200]);
    put(second, first);
    assertEquals(renewKeys("sealKeysFile"), { names: ["old", "new"], isChanged: true });
    assertEquals(await names(), ["old", "new"]);
    put(second, "canary");
    const { message } = assertThrows(() => renewKeys("sealKeysFile"), UsageError);
    assertMatch(message, /^the file of --seal-keys-file cannot be used: line 2 must be a name/);
    assertEquals([await statusOf(first), await names()], [200, ["old", "new"]]);
    await (await get(WRONG_PIN)).body?.cancel();
    assertEquals((await status()).secrets, { plain: 1, sealed: 2, "older-key": 2 });
    await close();
    const log = written.join("");
    assertMatch(log, / unopened=no-key-of-that-name reason="Parameter secretCode is sealed, and /);
    assertEquals(/canary|eyJ|kid/.test(log + message), false, log);
  });
});

Deno.test("createServerService() waits for the first news of a store, but not as long as its URL allows", async () => {
  using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = silent.accept();
  const store = `redis://127.0.0.1:${silent.addr.port}?timeout=60000`;
  const { guardReady: known, close, written } = setup(["--guard", store]);
  await ManualTimers.holding(2_000, async (goOff) => {
    let isKnown = false;
    const ready = known().then(() => isKnown = true);
    const connection = await accepted;
    assertEquals(isKnown, false);
    await goOff();
    await ready;
    await close();
    connection.close();
  });
  assertEquals(written, []);
});

Deno.test("createServerService() logs successful probes only with --log-probes, and failed ones always", async () => {
  for (const [args, lines] of [[[], 1], [["--log-probes"], 5]] as const) {
    const { get, close, written, state } = setup(["--metrics", ...args]);
    for (const path of ["/healthz", "/readyz", "/metrics"]) await (await get(path)).body?.cancel();
    state.isReady = false;
    assertEquals((await get("/readyz")).status, 503);
    // The metrics count all of them.
    const page = await (await get("/metrics")).text();
    assertEquals(
      page.match(/^authenticator_requests_total.*route="(?:healthz|readyz|metrics)".* 1$/gm)
        ?.length,
      4,
    );
    await close();
    const text = written.join("");
    assertEquals([text.split("\n").length - 1, text.includes("route=readyz status=503")], [
      lines,
      true,
    ]);
  }
});

Deno.test("--log-peer logs the address of a caller, or with --trust-proxy the last one that a proxy names", async () => {
  const rows = [
    ["", "192.0.2.1"],
    ["198.51.100.1, 203.0.113.9", "203.0.113.9"],
    ["canary", "192.0.2.1"],
    ["203.0.113.9:1234", "203.0.113.9"],
    ["[2001:db8::9]:1234", "2001:db8::9"],
    ["2001:db8::9", "2001:db8::9"],
  ] as const;
  const peers = async (...args: readonly string[]): Promise<readonly (string | undefined)[]> => {
    const { get, close, written } = setup(["--log-probes", ...args]);
    for (const [named] of rows) {
      await (await get("/healthz", named ? { "x-forwarded-for": named } : {})).body?.cancel();
    }
    await close();
    assertEquals(written.join("").includes("canary"), false);
    return written.join("").trimEnd().split("\n").map((line) => / peer=(\S+)/.exec(line)?.[1]);
  };
  assertEquals(await peers("--trust-proxy"), rows.map(() => undefined));
  assertEquals(await peers("--log-peer"), rows.map(() => "192.0.2.1"));
  assertEquals(await peers("--log-peer", "--trust-proxy"), rows.map(([, peer]) => peer));
});

Deno.test("a server offers a buffer for the framing of a body only where it serves by TLS", async () => {
  const offered: unknown[] = [];
  for (const args of [[], ["--tls-cert", "/cert", "--tls-key", "/key"]]) {
    const { handler, close } = setup(args);
    const body = new ReadableStream({
      type: "bytes",
      pull: (controller: ReadableByteStreamController) => {
        offered.push(controller.byobRequest?.view?.byteLength);
        controller.close();
        controller.byobRequest?.respond(0);
      },
    });
    const headers = { "content-type": "text/xml" };
    const init = { method: "POST", headers, body };
    await (await handler(new Request("http://localhost/api.asmx", init))).body?.cancel();
    await close();
  }
  assertEquals(offered, [4_352, 135_168]);
});

Deno.test("a node of a store that cannot be used is counted in the metrics", async () => {
  const none = freePort();
  const node = startFakeRedis(() => [
    [0, 8191, ["127.0.0.1", node.port, "id"]],
    [8192, 16_383, ["127.0.0.1", none, "id"]],
  ]);
  const url = `redis+cluster://127.0.0.1:${node.port}?timeout=60000`;
  const { get, close } = setup(["--metrics", "--guard", url]);
  await eventually(async () =>
    (await (await get("/metrics")).text()).includes("\nauthenticator_guard_store_nodes_down 1\n")
  );
  await close();
  node.close();
});
