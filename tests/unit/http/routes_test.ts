import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { OPERATOR_ROUTES, ROUTES } from "../../../lib/http/routes.ts";
import { Fault } from "../../../lib/operations/fault.ts";
import { handlerWith } from "../../support/handler.ts";
import { SEAL_KEY_LINES } from "../../support/seal_keys.ts";

const KEYED = { apiKeys: ["0123456789abcdef"] };
const handler = handlerWith({
  ...KEYED,
  metricsPage: () => "metrics",
  sealKeys: SEAL_KEY_LINES,
});

async function statusOf(method: string, path: string, key = true): Promise<number> {
  const headers: HeadersInit = key ? { "x-api-key": "0123456789abcdef" } : {};
  const reply = await handler(new Request(`http://localhost${path}`, { method, headers }));
  await reply.body?.cancel();
  return reply.status;
}

Deno.test("the table has the routes of docs/wire.md", () => {
  assertEquals(
    ROUTES.map(({ path, methods, isOpen, name }) =>
      `${path} ${methods.join(",")} ${isOpen ? "open" : "key"} ${name}`
    ),
    [
      "/api.asmx POST key service",
      "/api.asmx GET key description",
      "/api.asmx/* GET,POST key service",
      "/openapi.json GET key openapi",
      "/pair.aspx GET,POST key pair.aspx",
      "/validate.aspx GET,POST key validate.aspx",
      "/seal POST key seal",
      "/qr.aspx GET,POST key qr.aspx",
      "/ GET key root",
      "/healthz GET open healthz",
      "/readyz GET open readyz",
      "/metrics GET key metrics",
    ],
  );
});

Deno.test("the routes of the operator port call no operation, and need keys but for health and metrics", () => {
  assertEquals(OPERATOR_ROUTES.map(({ name, isOpen }) => `${name} ${isOpen ? "open" : "key"}`), [
    ...["healthz open", "readyz open", "metrics open"],
    ...["status key", "guard/name key", "guard/unlock key"],
  ]);
});

for (const path of new Set(ROUTES.map((route) => route.path))) {
  const rows = ROUTES.filter((route) => route.path === path);
  const requested = path.replace("*", "Pair");
  const methods = new Set<string>(rows.flatMap((row) => row.methods));

  Deno.test(`${path} answers the methods of its rows, and names them in Allow`, async () => {
    const allowed = [
      ...methods.has("GET") ? ["GET", "HEAD"] : [],
      ...methods.has("POST") ? ["POST"] : [],
    ];
    const reply = await handler(
      new Request(`http://localhost${requested}`, {
        method: "OPTIONS",
        headers: { "x-api-key": "0123456789abcdef" },
      }),
    );
    assertEquals([reply.status, reply.headers.get("allow")], [
      204,
      [...allowed, "OPTIONS"].join(", "),
    ]);
    for (const method of ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"]) {
      const isRefused = await statusOf(method, requested) === 405;
      assertEquals(isRefused, !allowed.includes(method), `${method} ${requested}`);
    }
  });

  Deno.test(`${path} requires a key where its rows do`, async () => {
    for (const { methods, isOpen = false, name } of rows) {
      // Its callers take any status but 200 for a right pin.
      if (name === "validate.aspx") continue;
      for (const method of methods) {
        assertEquals(
          await statusOf(method, requested, false) === 401,
          !isOpen,
          `${method} ${requested}`,
        );
      }
    }
  });

  const hasPathInfo = rows.some(({ ignoresPathInfo }) => ignoresPathInfo);
  const behind = hasPathInfo ? "with anything behind it" : "and nothing behind it is";
  Deno.test(`${path} is found by its file part in any case, ${behind}`, async () => {
    const [, file, rest = ""] = /^(\/[^/]*)(.*)$/.exec(requested)!;
    assert(await statusOf("OPTIONS", file!.toUpperCase() + rest) === 204);
    if (path === "/" || path.startsWith("/api.asmx")) return;
    if (hasPathInfo) {
      for (const info of ["/", "/Pair", "/a/b", "/%FF", "%2F", "%2Fx"]) {
        assertEquals(await statusOf("OPTIONS", `${requested}${info}`), 204, info);
      }
      return;
    }
    assertEquals(await statusOf([...methods][0]!, `${requested}/`), 404);
    assertEquals(await statusOf("GET", `${requested}/Pair`), 404);
  });
}

Deno.test("a path that is in no row is not found with any method", async () => {
  for (
    const path of [
      ...["/rest", "/rest/Pair", "/api.asmxx", "/*", "/api.asmx*", "/constructor"],
      ...["/Validate.aspxx", "/Validate.aspx;a", "/x/Validate.aspx", "/Validate%252Easpx"],
      // A proxy that keeps this path from callers may compare it as it is written.
      "/%6Detrics",
    ]
  ) {
    for (const method of ["GET", "HEAD", "POST", "OPTIONS"]) {
      assertEquals(await statusOf(method, path), 404, `${method} ${path}`);
    }
  }
});

Deno.test("a new route needs a key and a Host, and its faults are sentences", async () => {
  const answer = (): never => {
    throw new Fault("busy", "Come back later.");
  };
  const routed = handlerWith(KEYED, [{ path: "/new", methods: ["GET"], name: "new", answer }]);
  const observe = async (
    headers: HeadersInit,
    url = "http://localhost/new",
  ): Promise<unknown[]> => {
    const reply = await routed(new Request(url, { headers }));
    return [reply.status, await reply.text(), reply.headers.get("retry-after")];
  };
  const key = { "x-api-key": KEYED.apiKeys[0]! };
  assertEquals((await observe({}))[0], 401);
  assertEquals((await observe(key, "http://a..b/new"))[0], 400);
  assertEquals(await observe(key), [503, "Come back later.\r\n", "1"]);
});

Deno.test("a page answers by a path whose characters are percent-encoded", async () => {
  for (
    const path of ["/Validate%2Easpx", "/%56alidate.aspx/x", "/%2F%70air.aspx", "/qr.asp%58%2F"]
  ) {
    assertEquals(await statusOf("OPTIONS", path), 204, path);
  }
});
