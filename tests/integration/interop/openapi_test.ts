/**
 * A client that is made from the OpenAPI description as its readers make one: types by
 * openapi-typescript, calls by openapi-fetch, checked by the compiler.
 */

import { fileURLToPath } from "node:url";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import openapiTypes, { astToString, type OpenAPI3 } from "openapi-typescript";
import { withFolder } from "../../support/folder.ts";
import { referenceBase32 } from "../../support/reference_base32.ts";
import { run } from "../../support/client_program.ts";
import { codeOf, currentStep } from "./oath.ts";
import { PATIENT, serverForTests } from "../../support/test_server.ts";

const server = serverForTests(...PATIENT);
const SECRET = "a secret of the generated client";

// What it calls is not fixed, so the same program shows that mistakes do not compile.
const client = (pin: string, operation = "ValidatePin"): string => `
import createClient from "openapi-fetch";
import type { paths } from "./description.ts";

const client = createClient<paths>({ baseUrl: Deno.args[0]! });
const names = { appName: "Example", appInfo: "jane", secretCode: Deno.args[1]! };
const paired = await client.POST("/api.asmx/Pair", { body: names });
const setupKey: string | undefined = paired.data?.d.ManualSetupCode;
const checked = await client.POST("/api.asmx/${operation}", {
  params: { header: { "X-Authenticator-Source": "203.0.113.7" } },
  body: { pin: ${pin}, secretCode: Deno.args[1]! },
});
const isRight: boolean | undefined = checked.data?.d;
const { error } = await client.POST("/api.asmx/Pair", { body: { ...names, appName: "" } });
const message: string | undefined = error?.Message;
console.log(JSON.stringify([setupKey, isRight, message]));
`;

async function runClient(program: string, ...args: readonly string[]): Promise<string> {
  const reply = await fetch(`${server.url}/openapi.json`);
  assertEquals(reply.status, 200);
  const types = astToString(await openapiTypes(await reply.json() as OpenAPI3));
  return await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/description.ts`, types);
    await Deno.writeTextFile(`${folder}/client.ts`, program);
    const config = fileURLToPath(new URL("../../../deno.json", import.meta.url));
    const words = ["run", "--no-prompt", "--check", `--config=${config}`, "--allow-net=127.0.0.1"];
    const path = `${folder}/client.ts`;
    return (await run(Deno.execPath(), [...words, path, server.url, ...args])).text;
  });
}

Deno.test("a client that is generated from /openapi.json calls both operations", async () => {
  const right = await runClient(
    client("Deno.args[2]!"),
    SECRET,
    await codeOf(SECRET, currentStep()),
  );
  const message = "Parameter appName must not be empty.";
  assertEquals(JSON.parse(right), [referenceBase32(SECRET), true, message]);
  const wrong = await runClient(client('"1"'), SECRET);
  assertEquals(JSON.parse(wrong)[1], false);
});

Deno.test("calls that the description does not have do not compile", async () => {
  for (const program of [client("123456"), client('"1"', "Validatepin")]) {
    const error = await assertRejects(() => runClient(program, SECRET), Error);
    assert(/TS\d+/.test(error.message), error.message);
  }
});
