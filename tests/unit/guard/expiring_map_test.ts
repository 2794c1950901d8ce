import { assertEquals } from "@std/assert/equals";
import * as fc from "fast-check";
import { ExpiringMap } from "../../../lib/guard/expiring_map.ts";
import { runOptions } from "../../support/property.ts";

const KEYS = Array.from({ length: 20 }, (_, i) => `k${i}`);
const KEY = fc.constantFrom(...KEYS);

type Step = (map: ExpiringMap<number>, model: Model) => void;

/** The same map as a list, oldest entry first. */
class Model {
  nowMs = 0;
  entries: (readonly [key: string, value: number, untilMs: number])[] = [];

  delete(key: string): boolean {
    const before = this.entries.length;
    this.entries = this.entries.filter(([other]) => other !== key);
    return this.entries.length < before;
  }
}

const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(KEY, fc.nat(9), fc.nat(9)).map(set) },
  KEY.map((key): Step => (map, model) => assertEquals(map.delete(key), model.delete(key))),
  fc.constant<Step>((map, model) => {
    map.deleteOldest();
    model.entries.shift();
  }),
  fc.nat(9).map((ms): Step => (_, model) => void (model.nowMs += ms)),
  fc.constant<Step>((map, model) => {
    map.sweep(model.nowMs);
    const left = model.entries.findIndex(([, , untilMs]) => untilMs > model.nowMs);
    model.entries.splice(0, Math.min(8, left < 0 ? model.entries.length : left));
  }),
);

function set([key, value, keepMs]: readonly [string, number, number]): Step {
  return (map, model) => {
    map.set(key, value, model.nowMs + keepMs);
    model.delete(key);
    model.entries.push([key, value, model.nowMs + keepMs]);
  };
}

Deno.test("an ExpiringMap is a list in the order of last change, whose entries expire", () => {
  fc.assert(
    fc.property(fc.array(STEP, { maxLength: 60, size: "max" }), (steps) => {
      const map = new ExpiringMap<number>();
      const model = new Model();
      for (const step of steps) {
        step(map, model);
        const { entries, nowMs } = model;
        const living = entries.filter(([, , untilMs]) => untilMs > nowMs);
        assertEquals(map.size, entries.length);
        assertEquals([...map.keys(nowMs)], living.map(([key]) => key));
        const values = new Map(living.map(([key, value]) => [key, value]));
        for (const key of KEYS) assertEquals(map.get(key, nowMs), values.get(key));
      }
    }),
    runOptions(300),
  );
});
