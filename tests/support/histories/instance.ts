/**
 * One instance of the program: the real handler, guard and store, at the end of a simulated way.
 *
 * @module
 */

import { serviceHandler } from "../handler.ts";
import { parseConfig } from "../../../lib/config/options.ts";
import { fingerprintBy, sourceNamesBy } from "../../../lib/guard/fingerprint.ts";
import type { GuardRules } from "../../../lib/guard/guard.ts";
import { StoreLink } from "../../../lib/guard/redis/link.ts";
import { RedisStore } from "../../../lib/guard/redis/store.ts";
import { Link } from "./link.ts";
import type { SimulatedStore } from "./store.ts";
import type { Computer, World } from "./world.ts";

const CONFIG = parseConfig({ flags: new Map(), env: () => undefined });
const GUARD_KEY = new Uint8Array(32).fill(7);

/** The name of a secret in the store. */
export const fingerprintOf: (key: Uint8Array) => string = fingerprintBy(GUARD_KEY, "SHA1");

/** The name of a source of a secret in the store. */
export const sourceNameOf: (fingerprint: string, text: string) => string = sourceNamesBy(
  fingerprintOf,
);

/** What was answered. */
export interface Answered {
  /** The body. */
  readonly body: string;
  /** The outcome, as the log has it. */
  readonly outcome: string;
}

/** The instance. */
export class Instance implements Computer {
  /** Until when it stands still. */
  pausedUntilMs = 0;
  /** How far its time of day is off. */
  clockOffsetMs = 0;
  /** The way to the store. */
  readonly link: Link;
  readonly #ask: (request: Request) => Promise<Answered>;

  /** Starts an instance. */
  constructor(private readonly world: World, rules: GuardRules, store: SimulatedStore) {
    this.link = new Link(world, this, store);
    const storeLink = new StoreLink({
      open: (onLoss) => Promise.resolve(this.link.open(onLoss)),
      now: () => world.nowMs,
      onChange: () => {},
    });
    const guardStore = new RedisStore({ rules, link: storeLink, now: () => world.nowMs });
    const guard = { fingerprint: fingerprintOf, source: sourceNameOf, store: guardStore };
    const outcomes = new Map<string, string>();
    let requests = 0;
    const handler = serviceHandler(CONFIG, {
      now: () => this.nowMs,
      guard,
      log: {
        error: (message, cause) => {
          throw new Error(`${message}: ${cause}`);
        },
      },
      isReady: () => true,
      telemetry: {
        observe: ({ requestId, outcome }) => void outcomes.set(requestId, outcome),
        requestId: () => String(requests++),
        monotonicMs: () => world.nowMs,
      },
    });
    this.#ask = async (request) => {
      const response = await handler(request);
      const id = response.headers.get("x-request-id")!;
      const outcome = outcomes.get(id)!;
      outcomes.delete(id);
      return { body: await response.text(), outcome };
    };
  }

  /** The time of day by its clock. */
  get nowMs(): number {
    return this.world.nowMs + this.clockOffsetMs;
  }

  /** Checks a pin. */
  check(pin: string, secretCode: string, source: string | undefined): Promise<Answered> {
    const query = `Pin=${pin}&SecretCode=${secretCode}`;
    const headers: Record<string, string> = source === undefined
      ? {}
      : { "x-authenticator-source": source };
    return this.#ask(new Request(`http://localhost/Validate.aspx?${query}`, { headers }));
  }
}
