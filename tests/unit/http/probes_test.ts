import { assertEquals } from "@std/assert/equals";
import type { RequestEvent } from "../../../lib/telemetry/request_event.ts";
import { storeThat } from "../../support/guard_store.ts";
import { type HandlerChanges, handlerWith } from "../../support/handler.ts";

async function replyTo(path: string, changes: HandlerChanges = {}): Promise<Response> {
  return await handlerWith(changes)(new Request(`http://localhost${path}`));
}

Deno.test("the probes answer in text: ok, without the store, or not ready", async () => {
  const answer = async (path: string, changes: HandlerChanges): Promise<readonly unknown[]> => {
    const outcomes: string[] = [];
    const observe = ({ outcome }: RequestEvent): void => void outcomes.push(outcome);
    const telemetry = { observe, requestId: () => "a1-0", monotonicMs: () => 0 };
    const reply = await replyTo(path, { ...changes, telemetry });
    assertEquals(outcomes, [reply.status === 200 ? "ok" : "not-ready"]);
    return [reply.status, reply.headers.get("content-type"), await reply.text()];
  };
  const type = "text/plain; charset=utf-8";
  const drains = { isReady: () => false };
  const store = (isHealthy: boolean | undefined, failing: string[] = []): HandlerChanges => {
    const shared = {
      ready: Promise.resolve(),
      isHealthy: () => isHealthy,
      failing: () => failing,
      aheadMs: () => undefined,
      problems: () => [],
      close: () => {},
    };
    const guard = { fingerprint: () => "", source: () => "", store: storeThat(), shared };
    return { pinGuard: guard };
  };
  const ready = [200, type, "ok"];
  const notReady = [503, type, "Not ready.\r\n"];
  for (const changes of [drains, store(undefined), store(false)]) {
    assertEquals(await answer("/healthz", changes), ready);
  }
  assertEquals(await answer("/readyz", {}), ready);
  assertEquals(await answer("/readyz", store(true)), ready);
  assertEquals(await answer("/readyz", store(false)), [200, type, "ok; the store does not answer"]);
  const partAway = [200, type, "ok; a part of the store does not answer"];
  assertEquals(await answer("/readyz", store(true, ["its node, a:1, is away"])), partAway);
  assertEquals(await answer("/readyz", store(undefined)), notReady);
  for (const isHealthy of [true, false]) {
    assertEquals(await answer("/readyz", { ...drains, ...store(isHealthy) }), notReady);
  }
});
