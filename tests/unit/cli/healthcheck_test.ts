import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { healthcheck } from "../../../lib/cli/healthcheck.ts";
import { CommandError } from "../../../lib/cli/io/io.ts";
import { freePort } from "../../support/free_port.ts";
import { CERTIFICATE, PRIVATE_KEY } from "../../support/certificates.ts";
import { type Outcome, startProgram } from "../../support/program.ts";
import { configOf, runCommand, runHealthcheck } from "../../support/command.ts";
import { withFolder } from "../../support/folder.ts";

const LOOPBACK = { hostname: "127.0.0.1", port: 0, onListen: () => {} };

// Far above the time of a reply on a busy machine, unlike the timeout of the command itself.
const PATIENCE_MS = 60_000;

/** The output and the exit code of the command. */
async function check(...args: string[]): Promise<Outcome> {
  let stdout = "";
  const print = (line: string): void => void (stdout += `${line}\n`);
  try {
    return { code: await healthcheck(configOf(args), print, PATIENCE_MS), stdout, stderr: "" };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return notWell(error.message);
  }
}

/** Replies to /healthz as the server does. */
function healthz(request: Request): Response {
  const { method, url, headers } = request;
  const isRight = method === "GET" && new URL(url).pathname === "/healthz" &&
    headers.get("host") === "localhost";
  return isRight ? new Response("ok") : new Response(null, { status: 404 });
}

function well(place: string): Outcome {
  return { code: 0, stdout: `${place} is healthy\n`, stderr: "" };
}

function notWell(message: string): Outcome {
  return { code: 1, stdout: "", stderr: `authenticator: error: ${message}.\n` };
}

Deno.test("healthcheck calls the address of the options", async () => {
  await using server = Deno.serve(LOOPBACK, healthz);
  const port = String(server.addr.port);
  assertEquals(await check("--port", port), well(`http://127.0.0.1:${port}`));
  assertEquals(
    await runHealthcheck([], { env: { AUTHENTICATOR_PORT: port } }),
    well(`http://127.0.0.1:${port}`),
  );
});

Deno.test("healthcheck calls a server on all addresses by loopback", async () => {
  await using server = Deno.serve(LOOPBACK, healthz);
  const { port } = server.addr;
  assertEquals(
    await check("--host", "0.0.0.0", "--port", String(port)),
    well(`http://127.0.0.1:${port}`),
  );
  // Nothing listens on ::1, or the machine does not have it.
  assertEquals(
    await check("--host", "::", "--port", String(port)),
    well(`http://127.0.0.1:${port}`),
  );
  const nowhere = String(freePort());
  const { code, stderr } = await check("--host", "::", "--port", nowhere);
  assertEquals(code, 1);
  assert(stderr.startsWith(`authenticator: error: http://[::1]:${nowhere} `), stderr);
});

Deno.test("healthcheck calls over TLS with a certificate for any name", async () => {
  await using server = Deno.serve({ ...LOOPBACK, cert: CERTIFICATE, key: PRIVATE_KEY }, healthz);
  const { port } = server.addr;
  assertEquals(
    await check("--port", String(port), "--tls-cert", "any.pem", "--tls-key", "any.pem"),
    well(`https://127.0.0.1:${port}`),
  );
  assertEquals(
    await check("--port", String(port)),
    notWell(
      `http://127.0.0.1:${port} answers TLS and not plain HTTP: give --tls-cert and --tls-key as ` +
        "the server has them",
    ),
  );
});

Deno.test("healthcheck reports plain HTTP where it expects TLS", async () => {
  await using server = Deno.serve(LOOPBACK, healthz);
  const { port } = server.addr;
  assertEquals(
    await check("--port", String(port), "--tls-cert", "any.pem", "--tls-key", "any.pem"),
    notWell(
      `https://127.0.0.1:${port} answers plain HTTP and not TLS: leave --tls-cert and --tls-key out`,
    ),
  );
});

Deno.test("healthcheck calls through a unix socket", async () => {
  if (Deno.build.os === "windows") return;
  await withFolder(async (folder) => {
    const path = `${folder}/pin.sock`;
    const checkSocket = (): Promise<Outcome> => runHealthcheck(["--socket", path]);
    assertEquals(
      await checkSocket(),
      notWell(`${path} cannot be reached: there is no such file or folder`),
    );
    // A test may not listen on a socket; another process may.
    const script = `Deno.serve({ path: "${path}", onListen: () => console.log() },
      ({ url }) => new Response("", { status: url.endsWith("/healthz") ? 200 : 404 }))`;
    const server = await startProgram([script], { command: [Deno.execPath(), "eval"] });
    assertEquals(await checkSocket(), well(path));
    server.signal("SIGKILL");
    await server.outcome;
  });
});

Deno.test("healthcheck fails when the status is not 200", async () => {
  await using server = Deno.serve(LOOPBACK, () => new Response("ok", { status: 503 }));
  const { port } = server.addr;
  assertEquals(
    await check("--port", String(port)),
    notWell(`http://127.0.0.1:${port} answers with status 503`),
  );
});

Deno.test("healthcheck fails when nothing listens", async () => {
  const port = freePort();
  assertEquals(
    await check("--port", String(port)),
    notWell(`http://127.0.0.1:${port} cannot be reached: nothing listens there`),
  );
});

Deno.test("healthcheck fails when the reply is not HTTP", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const answered = (async () => {
    using connection = await listener.accept();
    // Otherwise it would be called over TLS too.
    listener.close();
    await connection.read(new Uint8Array(1024));
    await connection.write(new TextEncoder().encode("220 mail.example.com ESMTP\r\n"));
  })();
  assertEquals(
    await check("--port", String(port)),
    notWell(`http://127.0.0.1:${port} does not answer as HTTP`),
  );
  await answered;
});

Deno.test("healthcheck() fails at its timeout", async () => {
  // The system accepts the connection, and nothing reads from it.
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const config = configOf(["--port", String(port)]);
  const error = await assertRejects(() => healthcheck(config, () => {}, 50), CommandError);
  assertEquals(error.message, `http://127.0.0.1:${port} does not answer within 0.05 seconds`);
});

Deno.test("healthcheck refuses --port 0, whose port is unknown", async () => {
  assertEquals(await runCommand(["healthcheck", "--port", "0"]), {
    code: 2,
    stdout: "",
    stderr: "authenticator: error: healthcheck needs the --port of the server. Try --help.\n",
  });
});

Deno.test("healthcheck reports that it lacks the permission", async () => {
  const { code, stderr } = await runCommand(["healthcheck"], {
    permissions: ["--allow-env=AUTHENTICATOR_*"],
  });
  assertEquals([code, stderr], [
    1,
    "authenticator: error: http://127.0.0.1:8080 cannot be reached: " +
    "the program was started without the permission.\n",
  ]);
});

Deno.test("healthcheck calls the operator port where there is one, since others may share the other", async () => {
  await using server = Deno.serve(LOOPBACK, healthz);
  const { port } = server.addr;
  const place = `http://127.0.0.1:${port}`;
  for (
    const others of [
      ["--port", "1"],
      ["--socket", "none.sock"],
      ["--port", "1", "--tls-cert", "any.pem", "--tls-key", "any.pem"],
    ]
  ) assertEquals(await check(...others, "--metrics-port", String(port)), well(place));
  assertEquals(await check("--port", String(port), "--metrics-port", "0"), well(place));
});
