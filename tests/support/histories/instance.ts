/**
 * One instance of the program: the real handler, guard and store client, on a simulated link.
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

/** A reply. */
export interface Reply {
  /** The body. */
  readonly body: string;
  /** The outcome, as the log has it. */
  readonly outcome: string;
}

/** An instance. */
export class Instance implements Computer {
  /** End of its pause. */
  pausedUntilMs = 0;
  /** Error of its clock. */
  clockOffsetMs = 0;
  /** Link to the store. */
  readonly link: Link;
  readonly #call: (request: Request) => Promise<Reply>;

  /** Starts an instance. */
  constructor(private readonly world: World, rules: GuardRules, store: SimulatedStore) {
    this.link = new Link(world, this, store);
    const storeLink = new StoreLink({
      open: (onLoss) => Promise.resolve(this.link.open(onLoss)),
      monotonicMs: () => world.nowMs,
      onChange: () => {},
    });
    const guardStore = new RedisStore({ rules, link: storeLink, monotonicMs: () => world.nowMs });
    const guard = { fingerprint: fingerprintOf, source: sourceNameOf, store: guardStore };
    const outcomes = new Map<string, string>();
    let requests = 0;
    const handler = serviceHandler(CONFIG, {
      now: () => this.nowMs,
      pinGuard: guard,
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
    this.#call = async (request) => {
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
  check(pin: string, secretCode: string, source: string | undefined): Promise<Reply> {
    const query = `Pin=${pin}&SecretCode=${secretCode}`;
    const headers: Record<string, string> = source === undefined
      ? {}
      : { "x-authenticator-source": source };
    return this.#call(new Request(`http://localhost/Validate.aspx?${query}`, { headers }));
  }
}
