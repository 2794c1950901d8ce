import { assertEquals } from "@std/assert/equals";
import { AttackWatch } from "../../lib/telemetry/attack_watch.ts";

interface Scene {
  readonly watch: AttackWatch;
  readonly wrong: (secret: string, times?: number) => void;
  readonly throttled: (secret: string) => void;
  readonly pass: (ms: number) => void;
}

function scene(): Scene {
  let nowMs = 1000;
  const watch = new AttackWatch(() => nowMs);
  return {
    watch,
    wrong: (secret, times = 1) => {
      for (let i = 0; i < times; i++) watch.observe({ outcome: "false", facts: { secret } });
    },
    throttled: (secret) =>
      watch.observe({ outcome: "throttled", facts: { secret, outcome: "throttled" } }),
    pass: (ms) => void (nowMs += ms),
  };
}

Deno.test("AttackWatch tells one secret with many pins from many secrets with few", () => {
  const one = scene();
  one.wrong("a", 30);
  one.throttled("a");
  const figures = { wrongPins: 30, attackedSecrets: 1, throttledSecrets: 1, mostPins: 31 };
  assertEquals(one.watch.figures(), figures);
  const many = scene();
  for (let i = 0; i < 30; i++) many.wrong(`secret ${i}`);
  assertEquals(many.watch.figures(), {
    wrongPins: 30,
    attackedSecrets: 30,
    throttledSecrets: 0,
    mostPins: 1,
  });
});

Deno.test("AttackWatch counts neither right pins nor what no guard named", () => {
  const { watch } = scene();
  watch.observe({ outcome: "true", facts: { distance: 0 } });
  watch.observe({ outcome: "false", facts: undefined });
  watch.observe({ outcome: "replayed", facts: { secret: "a", outcome: "replayed" } });
  watch.observe({ outcome: "unavailable", facts: { secret: "a", outcome: "unavailable" } });
  assertEquals(watch.figures().attackedSecrets, 0);
  assertEquals(watch.figures().wrongPins, 0);
});

Deno.test("AttackWatch forgets after two minutes, but for the count of wrong pins", () => {
  const { watch, wrong, pass } = scene();
  wrong("a", 3);
  pass(60_000);
  wrong("a");
  wrong("b", 2);
  assertEquals(watch.top(5), [{ secret: "a", pins: 4 }, { secret: "b", pins: 2 }]);
  assertEquals(watch.top(1).length, 1);
  pass(60_000);
  assertEquals(watch.top(5), [{ secret: "b", pins: 2 }, { secret: "a", pins: 1 }]);
  pass(60_000);
  assertEquals([watch.top(5), watch.figures().wrongPins], [[], 6]);
  wrong("c");
  pass(3_600_000);
  assertEquals(watch.figures(), {
    wrongPins: 7,
    attackedSecrets: 0,
    throttledSecrets: 0,
    mostPins: 0,
  });
});

Deno.test("AttackWatch forgets after two minutes what came right before they began", () => {
  const { watch, wrong, pass } = scene();
  wrong("a");
  pass(120_000);
  assertEquals(watch.figures().attackedSecrets, 0);
});

Deno.test("AttackWatch forgets by the whole minutes since it began, whenever a pin comes", () => {
  const { watch, wrong, pass } = scene();
  pass(90_000);
  wrong("a");
  pass(89_999);
  assertEquals(watch.figures().attackedSecrets, 1);
  pass(1);
  assertEquals(watch.figures().attackedSecrets, 0);
});

Deno.test("AttackWatch tells 10,000 secrets apart in a minute and no more", () => {
  const { watch, wrong, throttled, pass } = scene();
  const flood = (name: string): void => {
    for (let i = 0; i < 10_010; i++) wrong(`${name} ${i}`);
    for (let i = 0; i < 10_010; i++) throttled(`throttled ${name} ${i}`);
  };
  flood("first");
  const { attackedSecrets, throttledSecrets } = watch.figures();
  assertEquals([attackedSecrets, throttledSecrets], [20_000, 10_000]);
  pass(60_000);
  flood("second");
  assertEquals(watch.figures(), {
    wrongPins: 20_020,
    attackedSecrets: 40_000,
    throttledSecrets: 20_000,
    mostPins: 1,
  });
});

// Made-up secrets cost whoever sends them nothing.
Deno.test("AttackWatch sees an attack that begins where the minute is full of other secrets", () => {
  const { watch, wrong, throttled } = scene();
  for (let i = 0; i < 10_000; i++) wrong(`made up ${i}`);
  throttled("throttled");
  for (let i = 0; i < 10_000; i++) {
    wrong(`made up as well ${i}`);
    if (i % 200 === 0) wrong("guessed");
  }
  const [guessed] = watch.top(1);
  assertEquals(guessed!.secret, "guessed");
  // It came 50 times, and 20,050 pins in 10,000 places take two of them at most.
  assertEquals(guessed!.pins >= 48 && guessed!.pins <= 50, true, String(guessed!.pins));
  const { throttledSecrets, mostPins } = watch.figures();
  assertEquals([throttledSecrets, mostPins], [1, guessed!.pins]);
});
