import { assertEquals } from "@std/assert/equals";
import { connectAddress } from "../../../lib/cli/http_client.ts";
import { runCommand, runHealthcheck } from "../../support/command.ts";

const LOOPBACK = { hostname: "127.0.0.1", port: 0, onListen: () => {} };

Deno.test("healthcheck, status, guard, doctor and compare send nothing to a proxy of the environment", async () => {
  const proxied: string[] = [];
  await using proxy = Deno.serve(LOOPBACK, ({ method, url }) => {
    proxied.push(`${method} ${url}`);
    return new Response("by the proxy", { status: 500 });
  });
  const called: string[] = [];
  await using server = Deno.serve(LOOPBACK, async (request) => {
    const { pathname } = new URL(request.url);
    called.push(`${request.method} ${pathname} ${await request.text()}`.trimEnd());
    return Response.json({ name: "AbCdEfGhIj", remembered: true, problems: [] });
  });
  const variables = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: `http://127.0.0.1:${proxy.addr.port}` };
  const way = ["--metrics-port", String(server.addr.port)];
  const stdin = "canary";
  // A command in this process reads the variables of the test.
  for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
  try {
    await runHealthcheck(way);
    await runCommand(["status", ...way]);
    await runCommand(["guard", "name", ...way], { stdin });
    await runCommand(["guard", "unlock", ...way], { stdin });
    await runCommand(["doctor", ...way], { stdin: `123456\n${stdin}` });
    await runCommand(["compare", `http://127.0.0.1:${server.addr.port}`]);
  } finally {
    for (const name of Object.keys(variables)) Deno.env.delete(name);
  }
  assertEquals(proxied, []);
  // The last command asks more.
  assertEquals(called.slice(0, 6), [
    "GET /healthz",
    "GET /status",
    "POST /guard/name canary",
    "POST /guard/unlock canary",
    "POST /guard/name canary",
    "GET /api.asmx",
  ]);
});

Deno.test("connectAddress() returns the loopback address for a wildcard address, and others unchanged", () => {
  const hosts = ["0.0.0.0", "::", "127.0.0.1", "::1", "192.0.2.1", "localhost"];
  assertEquals(hosts.map(connectAddress), [
    ...["127.0.0.1", "::1", "127.0.0.1", "::1", "192.0.2.1", "localhost"],
  ]);
});
