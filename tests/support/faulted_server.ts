/**
 * A server that goes through a fault, and the checks afterwards: it runs, accepts right pins, refuses
 * wrong and used ones, and has kept its state.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { SECRET, validateTarget } from "./calls.ts";
import { exchangeRaw, type RawReply } from "./http.ts";
import { type RunningProgram, type StartOptions, startProgram, stop } from "./program.ts";
import { pinOf, referenceHotp, wrongPinOf } from "./reference_totp.ts";

// Far above what any test takes; it only keeps one from hanging.
const DEADLINE_MS = 1_500_000;

const STEP_MS = 30_000;
// A wide window: the pins of many time steps are right, so each check can use one of its own.
const WINDOW = 10;
const ARGS = ["--port", "0", "--log-probes", "--metrics", "--single-use", "--window", `${WINDOW}`];

/** A server under a fault. */
export class FaultedServer {
  readonly #clock: () => number;
  #lastStep = -Infinity;

  /**
   * Makes the checks of a server.
   *
   * @param program The server.
   * @param clock Its clock in milliseconds, which may differ from that of the test.
   */
  constructor(readonly program: RunningProgram, clock: () => number) {
    this.#clock = clock;
  }

  /** A right pin that was not used before. */
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
    return pinOf(secret, 0, this.#clock());
  }

  /** A pin that is wrong in all time steps around now. */
  wrongPin(secret: string = SECRET): string {
    return wrongPinOf(secret, this.#clock());
  }

  /** The reply to a GET on a connection of its own. */
  async get(target: string): Promise<RawReply> {
    const head = [`GET ${target} HTTP/1.1`, "Host: localhost", "Connection: close"];
    return await exchangeRaw(this.program.url, { head });
  }

  /** The reply of `/Validate.aspx` to a pin. */
  async validate(pin: string, secret?: string): Promise<string> {
    return Buffer.from((await this.get(validateTarget(pin, secret))).body).toString();
  }

  /** Fails unless the server answers as before the fault. */
  async assertHealthy(): Promise<void> {
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

/** How a server is started, and the clock that it has. */
export interface FaultedServerOptions extends StartOptions {
  /** Options beside those of every server here. */
  readonly args?: readonly string[];
  /** The clock of the server in milliseconds; that of the test unless given. */
  readonly clock?: () => number;
}

/** Starts a server, runs a test of a fault, and stops it by SIGTERM: its exit code must be 0. */
export async function withFaultedServer(
  { args = [], clock = Date.now, ...options }: FaultedServerOptions,
  run: (server: FaultedServer) => Promise<void>,
): Promise<void> {
  const limits = { deadlineMs: DEADLINE_MS, ...options };
  const program = await startProgram([...ARGS, ...args], limits);
  const isGone = program.outcome.then(() => {
    throw new Error(`the server ended by itself, or was killed after ${DEADLINE_MS} ms`);
  });
  isGone.catch(() => {});
  try {
    const server = new FaultedServer(program, clock);
    await server.assertHealthy();
    await Promise.race([run(server), isGone]);
    await stop(program);
    assertEquals((await program.outcome).code, 0);
  } catch (error) {
    await stop(program, "SIGKILL");
    const { code, stderr } = await program.outcome;
    throw new Error(`exit code ${code}, and the end of its log: ${stderr.slice(-500)}`, {
      cause: error,
    });
  }
}
