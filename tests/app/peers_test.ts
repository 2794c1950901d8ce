import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { createAllServers } from "../../lib/app/peers.ts";
import type { AllServers } from "../../lib/http/state.ts";
import { MAX_PAGE_BYTES } from "../../lib/telemetry/server_pages.ts";
import {
  BUILD,
  CUT_OFF,
  goodPeer,
  HOSTILE,
  OTHER_PROTOCOLS,
  PEER_PAGE,
  RAW,
  TWICE,
  withPeer,
  withRawPeer,
  writeAll,
} from "../support/peers.ts";

const OWN_PAGE = `# TYPE authenticator_build_info gauge\n${BUILD}`;
// Nobody is asked there: what a server says for itself it says in process.
const OWN_PORT = 1;

// Longer than a busy machine takes, and shorter than a person waits for what is to be given up.
const LONG_MS = 60_000;
const SHORT_MS = 250;

interface Wishes {
  readonly isReady?: boolean;
  readonly patienceMs?: number;
}

function allOf(
  ports: readonly number[],
  { isReady = true, patienceMs = LONG_MS }: Wishes = {},
): AllServers {
  const config = { metricsHost: "127.0.0.1", metricsPort: OWN_PORT, metricsPeers: ports };
  const own = { metricsPage: () => OWN_PAGE, isReady: () => isReady };
  const all = createAllServers(config, own, patienceMs);
  assert(all !== undefined);
  return all;
}

/** Which servers a page says are up. */
function upOn(page: string): Record<string, string> {
  const rows = page.matchAll(/^authenticator_server_up\{server="(\d+)"\} (.*)$/gm);
  return Object.fromEntries([...rows].map(([, port, up]) => [port, up]));
}

Deno.test("createAllServers() gives nothing where the options name no ports", () => {
  const own = { metricsPage: () => OWN_PAGE, isReady: () => true };
  const config = { metricsHost: "127.0.0.1", metricsPort: OWN_PORT, metricsPeers: undefined };
  assertEquals(createAllServers(config, own), undefined);
});

Deno.test("the page of all servers has this one and each peer, in the order of the list", async () => {
  await withPeer(goodPeer, async (port) => {
    for (const ports of [[port, OWN_PORT], [OWN_PORT, port], [port]]) {
      const page = await allOf(ports).metricsPage();
      assertEquals(upOn(page), { [OWN_PORT]: "1", [port]: "1" });
      const [first] = page.match(/(?<=^authenticator_build_info\{server=")\d+/m) ?? [];
      assertEquals(first, String(ports.includes(OWN_PORT) ? ports[0] : OWN_PORT));
      assert(page.includes(`\nprocess_cpu_seconds_total{server="${port}"} 7\n`), page);
      assertEquals(await allOf(ports).notReady(), []);
    }
  });
});

Deno.test("a peer is asked for its own answers, on a connection that is closed", async () => {
  const asked: string[] = [];
  const answer = (request: Request): Response => {
    const { host, pathname } = new URL(request.url);
    const fields = [host, request.headers.get("connection"), request.headers.get("x-api-key")];
    asked.push([request.method, pathname, ...fields].join(" "));
    return goodPeer(request);
  };
  await withPeer(answer, async (port) => {
    await allOf([port]).metricsPage();
    await allOf([port]).notReady();
  });
  assertEquals(asked, ["GET /metrics localhost close ", "GET /readyz localhost close "]);
});

Deno.test("who asks while an answer is gathered gets that one, and later a new one", async () => {
  let count = 0;
  const gate = Promise.withResolvers<void>();
  const answer = async (request: Request): Promise<Response> => {
    count++;
    await gate.promise;
    return goodPeer(request);
  };
  await withPeer(answer, async (port) => {
    const all = allOf([port]);
    const pages = Array.from({ length: 50 }, () => all.metricsPage());
    const ready = Array.from({ length: 50 }, () => all.notReady());
    gate.resolve();
    assertEquals(new Set(await Promise.all(pages)).size, 1);
    assertEquals((await Promise.all(ready)).flat(), []);
    assertEquals(count, 2);
    await all.metricsPage();
    await all.notReady();
    assertEquals(count, 4);
  });
});

Deno.test("a server that is not ready is named, this one too", async () => {
  await withPeer(goodPeer, async (port) => {
    assertEquals(await allOf([port], { isReady: false }).notReady(), [OWN_PORT]);
    const closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    closed.close();
    const dead = closed.addr.port;
    assertEquals(await allOf([port, dead, OWN_PORT]).notReady(), [dead]);
    assertEquals(await allOf([dead, OWN_PORT], { isReady: false }).notReady(), [dead, OWN_PORT]);
    assertEquals(upOn(await allOf([dead, port]).metricsPage()), {
      ...{ [OWN_PORT]: "1", [dead]: "0", [port]: "1" },
    });
  });
});

for (const [what, answer] of HOSTILE) {
  Deno.test(`a peer that answers with ${what} is neither up nor ready`, async () => {
    await withPeer(answer, isDown);
  });
}

async function isDown(port: number, patienceMs = LONG_MS): Promise<void> {
  const all = allOf([port, OWN_PORT], { patienceMs });
  const page = await all.metricsPage();
  assertEquals(upOn(page), { [OWN_PORT]: "1", [port]: "0" });
  // Nothing of it is on the page.
  assertEquals(page.replaceAll(`{server="${port}"} 0`, "").includes(String(port)), false);
  assertEquals(page.match(/^process_.*/gm), null);
  assertEquals(await all.notReady(), [port]);
}

Deno.test("a peer that leads elsewhere is not followed", async () => {
  let count = 0;
  const good = (request: Request): Response => {
    count++;
    return goodPeer(request);
  };
  await withPeer(good, async (elsewhere) => {
    for (const status of [301, 302, 303, 307, 308]) {
      const lead = (request: Request): Response => {
        const location = `http://127.0.0.1:${elsewhere}${new URL(request.url).pathname}`;
        return new Response(PEER_PAGE, { status, headers: { location } });
      };
      await withPeer(lead, isDown);
    }
  });
  assertEquals(count, 0);
});

for (const [what, write] of RAW) {
  Deno.test(`a peer that ${what} is given up and left`, async () => {
    await withRawPeer(write, (port) => isDown(port, SHORT_MS));
  });
}

for (const [what, write] of OTHER_PROTOCOLS) {
  Deno.test(`a peer that ${what} is left at once`, async () => {
    await withRawPeer(write, isDown);
  });
}

Deno.test("the longest page that a peer may have is believed", async () => {
  const filler = `# ${"x".repeat(MAX_PAGE_BYTES - PEER_PAGE.length - 3)}\n`;
  await withPeer(() => new Response(filler + PEER_PAGE), async (port) => {
    assertEquals(upOn(await allOf([port]).metricsPage()), { [OWN_PORT]: "1", [port]: "1" });
  });
});

Deno.test("a peer that closes in the middle of an answer is neither up nor ready", async () => {
  for (const start of CUT_OFF) {
    const write = async (to: Deno.TcpConn): Promise<void> => {
      await writeAll(to, start);
      await to.closeWrite();
    };
    await withRawPeer(write, isDown);
  }
});

Deno.test("a peer that answers twice is believed the first time", async () => {
  for (const closes of [true, false]) {
    const write = async (to: Deno.TcpConn): Promise<void> => {
      await writeAll(to, TWICE);
      if (closes) await to.closeWrite();
    };
    await withRawPeer(write, async (port) => {
      const page = await allOf([port]).metricsPage();
      assertEquals(page.match(/^process_.*/gm), [`process_cpu_seconds_total{server="${port}"} 7`]);
    });
  }
});

Deno.test("a peer that answers too late is not waited for, and changes nothing then", async () => {
  const gate = Promise.withResolvers<void>();
  const answer = async (request: Request): Promise<Response> => {
    await gate.promise;
    return goodPeer(request);
  };
  await withPeer(answer, async (port) => {
    await isDown(port, SHORT_MS);
    gate.resolve();
    assertEquals(upOn(await allOf([port]).metricsPage()), { [OWN_PORT]: "1", [port]: "1" });
  });
});
