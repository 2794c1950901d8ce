import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { SECRET } from "../../support/calls.ts";
import { eventually } from "../../support/eventually.ts";
import { withFolder } from "../../support/folder.ts";
import { withRedis } from "../../support/redis_server.ts";
import { stop } from "../../support/program.ts";
import { pinOf, wrongPinOf } from "../../support/reference_totp.ts";
import {
  check,
  counted,
  startServer,
  withinFirstWait,
  withTwoServers,
} from "../../support/two_servers.ts";

const HOUR = 3_600_000;

// The name of a secret, and of nothing that a probe keeps for a moment.
const KEPT = /authenticator:guard:2:[\w-]{43}/;
const ALL_KEPT = new RegExp(KEPT, "g");

const THROTTLED = 'authenticator_guard_refusals_total{reason="throttled"}';

Deno.test(
  "the hundredth failure counts through either server, and the next pin is refused by both",
  async () => {
    for (const last of [0, 1]) {
      await withRedis([], async ({ url }) => {
        await withTwoServers(url, [], async (...both) => {
          const servers = [both[0], both[1]];
          const refused = (): Promise<readonly number[]> =>
            Promise.all(servers.map((server) => counted(server, THROTTLED)));
          await withinFirstWait(async (secret) => {
            const before = await refused();
            const wrong = wrongPinOf(secret);
            for (let i = 0; i < 99; i++) {
              assertEquals(await check(servers[i % 2]!, wrong, secret), "False");
            }
            assertEquals(await refused(), before);
            assertEquals(await check(servers[last]!, wrong, secret), "False");
            for (const server of servers) {
              assertEquals(await check(server, pinOf(secret), secret), "False");
            }
            assertEquals(await refused(), before.map((count) => count + 1));
          });
        });
      });
    }
  },
);

Deno.test("a success through one server restores no attempt through the other", async () => {
  await withRedis([], async ({ url }) => {
    await withTwoServers(url, ["--max-failures", "3"], async (one, two) => {
      await withinFirstWait(async (secret) => {
        for (const server of [one, two]) {
          await check(server, wrongPinOf(secret), secret);
          assertEquals(await check(server, pinOf(secret), secret), "True");
        }
        await check(one, wrongPinOf(secret), secret);
        assertEquals(await check(two, pinOf(secret), secret), "False");
      });
    });
  });
});

Deno.test("one source of wrong pins keeps no other out, through either server", async () => {
  await withRedis([], async ({ url }) => {
    await withTwoServers(url, ["--max-failures", "20"], async (one, two) => {
      await withinFirstWait(async (secret) => {
        const wrong = wrongPinOf(secret);
        for (let i = 0; i < 20; i++) await check(i % 2 ? one : two, wrong, secret, "é guesser");
        for (const server of [one, two]) {
          assertEquals(await check(server, pinOf(secret), secret, "é guesser"), "False");
          assertEquals(await check(server, pinOf(secret), secret, "the user"), "True");
          assertEquals(await check(server, pinOf(secret), secret), "True");
        }
      });
    });
  });
});

Deno.test(
  "64 checks of a right pin at once through two servers are true exactly once",
  async () => {
    await withRedis([], async ({ url }) => {
      // With a wide window, the pin stays right however long they take.
      await withTwoServers(url, ["--single-use", "--window", "10"], async (one, two) => {
        const pin = pinOf(SECRET);
        const checks = Array.from({ length: 64 }, (_, i) => check(i % 2 ? one : two, pin));
        const answers = await Promise.all(checks);
        assertEquals(answers.filter((answer) => answer === "True").length, 1);
        assertEquals(answers.filter((answer) => answer === "False").length, 63);
        const replayed = 'authenticator_guard_refusals_total{reason="replayed"}';
        assertEquals(await counted(one, replayed) + await counted(two, replayed), 63);
        assertEquals(await check(one, pinOf(SECRET, 1)), "True");
        assertEquals(await check(two, pin), "False");
      });
    });
  },
);

Deno.test(
  "64 wrong pins at once through two servers are checked as often as allowed",
  async () => {
    await withRedis([], async ({ url, command }) => {
      await withTwoServers(url, ["--max-failures", "10"], async (one, two) => {
        await withinFirstWait(async (secret) => {
          assertEquals(await command("FLUSHALL"), "OK");
          const wrong = wrongPinOf(secret);
          const guess = (i: number): Promise<string> => check(i % 2 ? one : two, wrong, secret);
          await Promise.all(Array.from({ length: 64 }, (_, i) => guess(i)));
          const [key, ...others] = (await command("KEYS", "*")).match(ALL_KEPT)!;
          assertEquals(others, []);
          const state = await command("GET", key!);
          // Ten hours are owed, but for what came back while they were sent.
          const debtMs = Number(/^"(\d+):/.exec(state)?.[1]);
          assert(debtMs <= 10 * HOUR && debtMs > 9.9 * HOUR, state);
        });
      });
    });
  },
);

Deno.test("a restarted server has the failures and the used codes", async () => {
  await withRedis([], async ({ url }) => {
    // With a wide window, the code is still right when the server has started again.
    const args = ["--max-failures", "3", "--single-use", "--window", "10"];
    await withTwoServers(url, args, async (one) => {
      const pin = pinOf(SECRET);
      assertEquals(await check(one, pin), "True");
      for (let i = 0; i < 2; i++) await check(one, wrongPinOf(SECRET));
      await stop(one);
      const again = await startServer(url, args);
      await again.logged(", answers");
      assertEquals(await check(again, pin), "False");
      assertEquals(
        await counted(again, 'authenticator_guard_refusals_total{reason="replayed"}'),
        1,
      );
      await check(again, wrongPinOf(SECRET));
      assertEquals(await check(again, pinOf(SECRET, 1)), "False");
      assertEquals(await counted(again, THROTTLED), 1);
      await stop(again);
    });
  });
});

Deno.test("the users of the page are enough, let nobody else in, and are there after a restart", async () => {
  const page = Deno.readTextFileSync(new URL("../../../docs/store.md", import.meta.url));
  const users = page.match(/^user .*$/gm)!.join("\n").replace(">PASSWORD", ">canary");
  await withFolder(async (folder) => {
    const conf = `${folder}/users.conf`;
    await Deno.writeTextFile(conf, `${users}\n`);
    await withRedis(["--include", conf], async (redis) => {
      const withUser = redis.url.replace("//", "//authenticator:canary@");
      await withTwoServers(withUser, ["--max-failures", "2"], async (one, two) => {
        assertEquals(await check(one, pinOf(SECRET)), "True");
        for (const server of [one, two]) await check(server, wrongPinOf(SECRET));
        assertEquals(await check(one, pinOf(SECRET)), "False");
        assertEquals(await counted(one, THROTTLED), 1);
        await redis.kill();
        await redis.start();
        assert((await redis.command("PING")).includes("NOAUTH"));
        await eventually(async () => {
          await check(two, pinOf(SECRET));
          return await counted(two, THROTTLED) > 0;
        }, "the server is let in again, and the wrong pins are there");
      });
    });
  });
});

Deno.test("a password of the store comes from a file", async () => {
  const password = "p@/ss#w?rd";
  await withFolder(async (folder) => {
    const path = `${folder}/password`;
    await Deno.writeTextFile(path, `${password}\n`, { mode: 0o600 });
    await withRedis(["--requirepass", password], async ({ url }) => {
      const args = ["--single-use", "--guard-password-file", path];
      await withTwoServers(url, args, async (one, two) => {
        const pin = pinOf(SECRET);
        assertEquals(await check(one, pin), "True");
        assertEquals(await check(two, pin), "False");
      });
    });
  });
});

Deno.test("neither the store nor the log holds a secret, a pin or the password", async () => {
  const password = "canary-of-the-store";
  await withRedis(["--requirepass", password], async ({ url, command }) => {
    const withPassword = url.replace("//", `//:${password}@`);
    const pin = pinOf(SECRET);
    const log = await withTwoServers(withPassword, ["--single-use"], async (one) => {
      await check(one, pin);
      await check(one, wrongPinOf(SECRET));
      const keys = await command("-a", password, "KEYS", "*");
      assert(KEPT.test(keys), keys);
      const key = KEPT.exec(keys)![0];
      const kept = keys + await command("-a", password, "GET", key);
      assert(!kept.includes("canary") && !kept.includes(pin), kept);
    });
    assert(log.includes(`the store of the guard, ${url}, answers`), log);
    assert(!log.includes("canary") && !log.includes(pin), log);
  });
});

Deno.test("a server accepts no callers before its store answers, or two seconds have passed", async () => {
  await withRedis([], async ({ url }) => {
    const beforeMs = Date.now();
    const log = await withTwoServers(url, [], () => Promise.resolve());
    const news = [...log.matchAll(/(\S+Z) info (started|the store of the guard, .* answers)/g)]
      .map(([, at, what]) => ({
        isStart: what === "started",
        afterMs: Date.parse(at!) - beforeMs,
      }));
    assertEquals(news.length, 4, log);
    for (const [first, second] of [news.slice(0, 2), news.slice(2)]) {
      // A start that took so long may have waited in vain, on a busy machine.
      const mayHaveWaited = first!.isStart && first!.afterMs >= 2000;
      assert(!first!.isStart && second!.isStart || mayHaveWaited, log);
    }
  });
});
