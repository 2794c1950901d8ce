import { assertEquals } from "@std/assert/equals";
import * as fc from "fast-check";
import { ExpiringMap } from "../../../lib/guard/expiring_map.ts";
import { runOptions } from "../../support/property.ts";

const KEYS = Array.from({ length: 20 }, (_, i) => `k${i}`);
const KEY = fc.constantFrom(...KEYS);

type Step = (map: ExpiringMap<number>, model: Model) => void;

type Item = readonly [key: string, value: number, untilMs: number];

/** The same map as a list, the entry that expires first in front, of equal ones the oldest. */
class Model {
  nowMs = 0;
  entries: Item[] = [];

  delete(key: string): void {
    this.entries = this.entries.filter(([other]) => other !== key);
  }

  set(item: Item): void {
    this.delete(item[0]);
    this.entries = [...this.entries, item].sort(([, , a], [, , b]) => a - b);
  }
}

const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(KEY, fc.nat(9), fc.nat(9)).map(set) },
  KEY.map((key): Step => (map, model) => {
    map.delete(key);
    model.delete(key);
  }),
  fc.constant<Step>((map, model) => {
    const first = map.deleteFirst();
    const item = first && [first.key, first.value, first.untilMs] as const;
    assertEquals(item, model.entries.shift());
  }),
  fc.nat(9).map((ms): Step => (_, model) => void (model.nowMs += ms)),
  fc.constant<Step>((map, model) => {
    map.sweep(model.nowMs);
    const expired = model.entries.filter(([, , untilMs]) => untilMs <= model.nowMs).length;
    model.entries.splice(0, Math.min(8, expired));
  }),
);

function set([key, value, keepMs]: readonly [string, number, number]): Step {
  return (map, model) => {
    map.set(key, value, model.nowMs + keepMs);
    model.set([key, value, model.nowMs + keepMs]);
  };
}

Deno.test("an ExpiringMap is a list in the order of expiry", () => {
  fc.assert(
    fc.property(fc.array(STEP, { maxLength: 60, size: "max" }), (steps) => {
      const map = new ExpiringMap<number>();
      const model = new Model();
      for (const step of steps) {
        step(map, model);
        const { entries, nowMs } = model;
        const living = entries.filter(([, , untilMs]) => untilMs > nowMs);
        assertEquals(map.size, entries.length);
        assertEquals(map.living(nowMs), living.length);
        assertEquals([...map.values(nowMs)].sort(), living.map(([, value]) => value).sort());
        const values = new Map(living.map(([key, value]) => [key, value]));
        for (const key of KEYS) assertEquals(map.get(key, nowMs), values.get(key));
      }
    }),
    runOptions(300),
  );
});
