import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { eventually } from "../../support/eventually.ts";
import { runProgram, stop } from "../../support/program.ts";
import {
  check,
  counted,
  decided,
  patient,
  readiness,
  startServer,
  storeAnswers,
  withTwoServers,
} from "../../support/two_servers.ts";
import { load, refusals } from "../../support/load.ts";
import { MAX_STORE_LINES, print, repeatedStoreLines, storeLines } from "./log.ts";
import { caughtUp, ELECTION_MS, Nodes, PRIMARY_NAME, startWatched, type Watched } from "./nodes.ts";
import { pinOf, wrongPinOf } from "../../support/reference_totp.ts";

const SECRETS = Array.from({ length: 8 }, (_, i) => `canary secret ${i}`);
const REPLAYED = 'authenticator_guard_refusals_total{reason="replayed"}';

function urlOf({ sentinels }: Watched, login = ""): string {
  return `redis+sentinel://${login}${
    sentinels.map(({ address }) => address).join(",")
  }/${PRIMARY_NAME}`;
}

// One of the Sentinels knows it then; the others hear of it in the next seconds.
async function leads({ replica, sentinels }: Watched): Promise<void> {
  const question = ["SENTINEL", "GET-MASTER-ADDR-BY-NAME", PRIMARY_NAME];
  await eventually(
    async () => {
      const answers = await Promise.all(sentinels.map(({ command }) => command(...question)));
      return answers.some((answer) => answer === `127.0.0.1\n${replica.port}`);
    },
    "the replica leads",
    ELECTION_MS,
  );
}

// How the primary goes, and how it comes back as a replica.
const FAILOVERS: readonly (readonly [
  how: string,
  begin: (watched: Watched) => Promise<unknown>,
  end: (watched: Watched) => Promise<unknown>,
])[] = [
  ["is killed", ({ primary }) => primary.kill(), ({ primary }) => primary.start()],
  [
    "stops answering and comes back",
    ({ primary }) => Promise.resolve(primary.signal("SIGSTOP")),
    ({ primary }) => Promise.resolve(primary.signal("SIGCONT")),
  ],
  [
    "hands over on command",
    // It does not know at once that there is a good replica.
    ({ sentinels }) =>
      eventually(async () =>
        await sentinels[0]!.command("SENTINEL", "FAILOVER", PRIMARY_NAME) === "OK"
      ),
    () => Promise.resolve(),
  ],
];

for (const [how, begin, end] of FAILOVERS) {
  Deno.test(`a primary ${how}: its replica takes over, and accepts no replicated code twice`, async () => {
    await using nodes = new Nodes();
    const watched = await startWatched(nodes);
    // With a wide window, the codes are still right when the vote is over.
    const args = ["--single-use", "--window", "100"];
    const log = await withTwoServers(urlOf(watched), args, async (one, two) => {
      const used = SECRETS.map((secret) => [secret, pinOf(secret)] as const);
      for (const [secret, pin] of used) assertEquals(await check(one, pin, secret), "True");
      // What the replica takes over with.
      await caughtUp(watched.primary, watched.replica);
      await begin(watched);
      await leads(watched);
      await end(watched);
      for (const server of [one, two]) {
        await eventually(() => storeAnswers(server));
        for (const [secret, pin] of used) {
          await eventually(async () => {
            const before = await counted(server, REPLAYED);
            assertEquals(await check(server, pin, secret), "False");
            return await counted(server, REPLAYED) > before;
          });
        }
        // A former primary may be called until it replies that it is a replica.
        let attempts = 0;
        await eventually(async () => {
          const secret = `new ${server.pid} ${attempts++}`;
          return await check(server, pinOf(secret), secret) === "True";
        });
      }
      // Decisions are made by the one that leads.
      assert(Number(await watched.replica.command("DBSIZE")) >= SECRETS.length);
    });
    assert(
      repeatedStoreLines(log) === 0 && storeLines(log) <= MAX_STORE_LINES && !/canary/.test(log),
      log,
    );
  });
}

Deno.test("a planned failover moves every server to the new primary: a code accepted there is accepted once", async () => {
  await using nodes = new Nodes();
  const watched = await startWatched(nodes);
  const { primary, replica, sentinels } = watched;
  const args = ["--single-use", "--window", "100"];
  const moved = `moved from ${primary.address} to ${replica.address}`;
  const log = await withTwoServers(urlOf(watched), args, async (one, idle) => {
    const used: (readonly [string, string])[] = [];
    const play = async (name: string): Promise<void> => {
      const secret = `${name} ${used.length}`;
      const pin = pinOf(secret);
      if (await check(one, pin, secret) === "True") used.push([secret, pin]);
    };
    await play("before");
    await caughtUp(primary, replica);
    let hasMoved = false;
    const during = (async () => {
      while (!hasMoved) await play("during");
    })();
    await eventually(async () =>
      await sentinels[0]!.command("SENTINEL", "FAILOVER", PRIMARY_NAME) === "OK"
    );
    await leads(watched);
    const restarted = await startServer(urlOf(watched), args);
    for (const server of [one, idle]) await server.logged(moved);
    hasMoved = true;
    await during;
    used.length = 0;
    // Sentinel demotes the old primary ten seconds later: until then it would accept all of these.
    for (let i = 0; i < 20; i++) await play("after");
    await eventually(async () => await readiness(restarted) === 200);
    assertEquals(used.length, 20);
    for (const server of [one, idle, restarted]) {
      for (const [secret, pin] of used) assertEquals(await check(server, pin, secret), "False");
    }
    await stop(restarted);
  });
  assertEquals(log.split(moved).length - 1, 2, log);
  assert(!log.includes(" warn the store of the guard"), log);
});

Deno.test("a server logs once that no Sentinel answers, and goes on with its primary", async () => {
  await using nodes = new Nodes();
  const watched = await startWatched(nodes);
  const server = await startServer(urlOf(watched));
  await eventually(async () => await readiness(server) === 200);
  await Promise.all(watched.sentinels.map((sentinel) => sentinel.kill()));
  await server.logged("is not watched: one of its Sentinels cannot be reached (ECONNREFUSED)");
  assertEquals(await check(server, pinOf("x"), "x"), "True");
  await watched.sentinels[1]!.start();
  await server.logged("is watched again by its Sentinels");
  await stop(server);
  assertEquals((await server.outcome).stderr.split("is not watched").length, 2);
});

Deno.test("a primary fails under load: pins are refused until another leads, and then no more", async () => {
  await using nodes = new Nodes();
  const watched = await startWatched(nodes);
  await withTwoServers(urlOf(watched), ["--max-failures", "3"], async (one, two) => {
    for (const server of [one, two]) await decided(server, wrongPinOf("counted"), "counted");
    await caughtUp(watched.primary, watched.replica);
    const running = load([one, two], SECRETS);
    await running.round();
    const killedMs = performance.now();
    await watched.primary.kill();
    await leads(watched);
    for (const server of [one, two]) {
      await eventually(() => storeAnswers(server));
    }
    await eventually(async () => await check(one, pinOf("new"), "new") === "True");
    const seconds = ((performance.now() - killedMs) / 1000).toFixed(1);
    await running.round();
    const [wrongly, all] = refusals((await running.end()).values());
    print(`wrong refusals: ${wrongly} of ${all}, within ${seconds} s`);
    assert(wrongly > 0 && wrongly < all);
    // The two failures from before are remembered: the third is the last that is looked at.
    await decided(two, wrongPinOf("counted"), "counted");
    assertEquals(await decided(one, pinOf("counted"), "counted"), "False");
  });
});

Deno.test("a server logs in to the primary that Sentinels name, and logs that they name none", async () => {
  await using nodes = new Nodes();
  const password = "canary-of-the-store";
  const watched = await startWatched(nodes, password);
  for (const [login, code] of [[`:${password}@`, 0], ["", 1]] as const) {
    const env = { AUTHENTICATOR_GUARD: patient(urlOf(watched, login)) };
    const checked = await runProgram(["check", "--port", "0"], env);
    assertEquals([checked.code, checked.stderr.includes("requires a password")], [
      code,
      code > 0,
    ]);
  }
  const right = await startServer(urlOf(watched, `:${password}@`));
  await eventually(async () => await readiness(right) === 200);
  assertEquals(await check(right, pinOf("x"), "x"), "True");
  await stop(right);
  const bare = await startServer(urlOf(watched));
  const { address } = watched.primary;
  await bare.logged(
    `its primary, ${address}, requires a password (NOAUTH): pins that need it are refused`,
  );
  await stop(bare);
  const other = urlOf(watched).replace(PRIMARY_NAME, "another");
  const nameless = await startServer(other);
  await nameless.logged("one of its Sentinels knows no primary of that name (ERR): pins that");
  assertEquals([await readiness(nameless), await check(nameless, pinOf("x"), "x")], [503, "False"]);
  await stop(nameless);
  const texts = await Promise.all([right, bare, nameless].map(({ outcome }) => outcome));
  assert(!/canary/.test(texts.map(({ stderr }) => stderr).join("")));
});
