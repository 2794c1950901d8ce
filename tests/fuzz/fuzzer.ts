/** Sends cases to servers in this process, one after another, and looks at the replies. */

import { expectReply, expectResult } from "./expectation.ts";
import { type FuzzCase, makeCase } from "./fuzz_case.ts";
import { type HandlerServer, handlerServer, NOW_MS, type Outcome } from "./handler_server.ts";
import { type House, HOUSES } from "./house.ts";
import { problemsOf } from "./invariants.ts";
import { routeOf } from "./reader.ts";
import { rawOf, textOf } from "./request.ts";

/** What a run has seen. */
export interface Tally {
  /** Requests that were answered. */
  requests: number;
  /** Requests that no `Request` can be, and that were passed over. */
  unsent: number;
  /** How many replies were expected to be what. */
  readonly expected: Map<string, number>;
  /** How many replies there were of each route and status. */
  readonly answered: Map<string, number>;
  /** The errors, each number in them as a number sign. */
  readonly errors: Set<string>;
}

/** More errors than these are not distinct by what is wrong: one must repeat its request. */
const MAX_DISTINCT_ERRORS = 300;

/** A case that went wrong; the message is all that is needed to see why. */
export class FuzzFailure extends Error {
  /** The name of the class. */
  override readonly name = "FuzzFailure";
}

/** Sends cases with one seed. */
export class Fuzzer {
  /** What was seen so far. */
  readonly tally: Tally = {
    requests: 0,
    unsent: 0,
    expected: new Map(),
    answered: new Map(),
    errors: new Set(),
  };
  private readonly servers = new Map<House, HandlerServer>(
    HOUSES.map((house) => [house, handlerServer(house)]),
  );

  constructor(private readonly seed: number) {}

  /**
   * Sends a case.
   *
   * @throws {FuzzFailure} When something of what must always hold does not.
   */
  async send(number: number): Promise<void> {
    const made = makeCase(this.seed, number, NOW_MS);
    let outcome: Outcome | undefined;
    try {
      outcome = await this.servers.get(made.house)!.send(made.request);
      if (outcome === undefined) return void this.tally.unsent++;
      const problems = this.problems(made, outcome);
      if (problems.length === 0) return;
      throw new FuzzFailure(problems.join("; "));
    } catch (error) {
      const { message, stack } = error as Error;
      const why = error instanceof FuzzFailure ? message : stack;
      throw new FuzzFailure(
        `${why}\n\n${described(made, outcome)}\n\n${replay(this.seed, number)}`,
      );
    }
  }

  private problems(made: FuzzCase, outcome: Outcome): string[] {
    const { house, call, request, isLegal, fromRightPin } = made;
    const { reply, logged } = outcome;
    const route = routeOf(request);
    const read = expectReply(request, house, NOW_MS);
    const args = new Map(Object.entries(call.args));
    const { operation } = call;
    const expectation = isLegal ? expectResult({ operation, args }, house, NOW_MS) : read;
    const { method } = request;
    const { canary } = call;
    const answered = { method, route, expectation, fromRightPin, canary, reply };
    const problems = [...problemsOf(answered)];
    if (logged.toLowerCase().includes(canary)) {
      problems.push("the log repeats a part of the request");
    }
    if (/ error /.test(logged)) problems.push("the log has an error");
    if (isLegal && read !== undefined && read !== expectation) {
      problems.push("the reader misreads a legal call");
    }
    this.count(answered);
    if (this.tally.errors.size > MAX_DISTINCT_ERRORS) {
      problems.push("errors are too many to be ours");
    }
    return problems;
  }

  private count({ route, expectation, reply }: Parameters<typeof problemsOf>[0]): void {
    const { tally } = this;
    const isCode = expectation !== undefined && /^[A-Z2-7]+$/.test(expectation);
    tally.requests++;
    increment(tally.expected, isCode ? "a pairing" : expectation ?? "not to be told");
    increment(tally.answered, `${route} ${reply.status}`);
    if (reply.status >= 400) {
      const text = textOf(reply.body).replace(/<soap:NotUnderstood [^>]*>/g, "");
      tally.errors.add(text.replace(/\d+/g, "#"));
    }
  }
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** How a case is sent again. */
export function replay(seed: number, number: number): string {
  return `Again: deno task fuzz --seed ${seed} --from ${number} --requests 1`;
}

/** A request and its reply, so that both can be read. */
function described({ house, request }: FuzzCase, outcome: Outcome | undefined): string {
  const { head, body } = rawOf(request);
  const { status, headers, body: answer } = outcome?.reply ?? { status: "none", headers: [] };
  return [
    `Server: ${house.args.join(" ")}${house.keys.length === 0 ? "" : " (with keys)"}`,
    `Request: ${shown(head.join("\r\n"))}`,
    `Body: ${shown(textOf(body))}`,
    `Reply: ${status} ${[...headers].join(" ")}`,
    `Body: ${answer === undefined ? "none" : shown(textOf(answer))}`,
    `Log: ${outcome?.logged ?? "none"}`,
  ].join("\n");
}

function shown(text: string): string {
  return JSON.stringify(text.length > 4_000 ? `${text.slice(0, 4_000)}… ${text.length}` : text);
}
