/**
 * The server that a fault befalls, and how it is told that it came through: it lives, answers what
 * is right, accepts nothing that it should not, and remembers what it knew before.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { exchangeRaw, type RawReply } from "./http.ts";
import { type Outcome, type RunningProgram, startProgram, type Surroundings } from "./program.ts";
import { referenceHotp } from "./reference_totp.ts";

// Far above what any test takes; it only keeps one from hanging.
const PATIENCE_MS = 1_500_000;
// A server that was told to end has ten seconds for what runs; this is far above that.
const STOP_MS = 120_000;

const STEP_MS = 30_000;
// A wide window: the pins of many time steps are right, so each look can use one of its own.
const WINDOW = 10;
const ARGS = [
  "--log-probes",
  "--port",
  "0",
  "--metrics",
  "--single-use",
  "--window",
  String(WINDOW),
];

/** The secret that is asked about. */
export const SECRET = "canary battery staple";

/** A server under a fault. */
export class Subject {
  readonly #clock: () => number;
  #lastStep = -Infinity;

  /**
   * Watches a server.
   *
   * @param program The server.
   * @param clock Its time of day in milliseconds, which may be another than ours.
   */
  constructor(readonly program: RunningProgram, clock: () => number) {
    this.#clock = clock;
  }

  /** A pin that is right now and was not used before. */
  freshPin(): string {
    const now = this.#step();
    this.#lastStep = Math.max(this.#lastStep + 1, now - WINDOW + 2);
    assert(this.#lastStep <= now + WINDOW, "all pins of the window are used up");
    return referenceHotp(SECRET, this.#lastStep);
  }

  /** The pin that was used last. */
  usedPin(): string {
    return referenceHotp(SECRET, this.#lastStep);
  }

  /** The pin of a secret in this time step. */
  pinOf(secret: string): string {
    return referenceHotp(secret, this.#step());
  }

  /** A pin that is right in no time step near. */
  wrongPin(secret: string = SECRET): string {
    const now = this.#step();
    const right = new Set<string>();
    for (let step = now - 2 * WINDOW; step <= now + 2 * WINDOW; step++) {
      right.add(referenceHotp(secret, step));
    }
    for (let number = 0;; number++) {
      const pin = String(number).padStart(6, "0");
      if (!right.has(pin)) return pin;
    }
  }

  /** The reply to a GET on a connection of its own. */
  async get(target: string): Promise<RawReply> {
    const { hostname, port } = new URL(this.program.url);
    const head = [`GET ${target} HTTP/1.1`, "Host: localhost", "Connection: close"];
    return await exchangeRaw({ hostname, port: Number(port) }, { head, body: new Uint8Array() });
  }

  /** What `/Validate.aspx` says of a pin. */
  async validate(pin: string, secret?: string): Promise<string> {
    return Buffer.from((await this.get(validateTarget(pin, secret))).body).toString();
  }

  /** Fails unless the server answers as one that nothing has befallen. */
  async isWell(): Promise<void> {
    for (const probe of ["/healthz", "/readyz"]) assertEquals((await this.get(probe)).status, 200);
    if (this.#lastStep > 0) assertEquals(await this.validate(this.usedPin()), "False");
    assertEquals(await this.validate(this.wrongPin()), "False");
    assertEquals(await this.validate(this.freshPin()), "True");
    assertEquals(await this.validate(this.usedPin()), "False");
    const pair = await this.get("/api.asmx/Pair?appName=A&appInfo=a&secretCode=x");
    assert(Buffer.from(pair.body).includes("<ManualSetupCode>PA</ManualSetupCode>"));
  }

  #step(): number {
    return Math.floor(this.#clock() / STEP_MS);
  }
}

/** Where a pin is asked about. */
export function validateTarget(pin: string, secret: string = SECRET): string {
  return `/Validate.aspx?Pin=${pin}&SecretCode=${encodeURIComponent(secret)}`;
}

/** What a server is started with, and by which clock. */
export interface Circumstances extends Surroundings {
  /** Options beside those that every server here has. */
  readonly args?: readonly string[];
  /** The time of day of the server in milliseconds; ours unless given. */
  readonly clock?: () => number;
}

/**
 * Starts a server, lets a fault befall it, and ends it: SIGTERM must suffice, and the exit code be 0.
 *
 * @returns How it ended.
 */
export async function withSubject(
  { args = [], clock = Date.now, ...surroundings }: Circumstances,
  run: (subject: Subject) => Promise<void>,
): Promise<Outcome> {
  const program = await startProgram([...ARGS, ...args], surroundings);
  const isGone = program.outcome.then(() => {
    throw new Error("the server ended by itself");
  });
  isGone.catch(() => {});
  try {
    const subject = new Subject(program, clock);
    await subject.isWell();
    await within(PATIENCE_MS, "the test", Promise.race([run(subject), isGone]));
    program.signal("SIGTERM");
    const outcome = await within(STOP_MS, "the end of the server", program.outcome);
    assertEquals(outcome.code, 0);
    return outcome;
  } catch (error) {
    kill(program);
    const { code, stderr } = await program.outcome;
    throw new Error(`exit code ${code}, and the last it said: ${stderr.slice(-500)}`, {
      cause: error,
    });
  }
}

function kill(program: RunningProgram): void {
  try {
    program.signal("SIGKILL");
  } catch (error) {
    // It has ended.
    if (!(error instanceof TypeError)) throw error;
  }
}

async function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not come within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
