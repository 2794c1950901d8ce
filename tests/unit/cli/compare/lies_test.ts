import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { compare } from "../../../../lib/cli/compare/compare.ts";
import { CommandError } from "../../../../lib/cli/io/io.ts";
import { configOf } from "../../../support/command.ts";
import {
  isWsdl,
  lieAbout,
  LIES,
  QUESTIONS,
  type RowLie,
  SERVERS,
  SPOILT,
  withStatus,
} from "../../../support/compare_liars.ts";
import { type Lie, startCompared } from "../../../support/compared_server.ts";

// The self-check of the last server here may outlive a test.
Deno.test.sanitizer({ ops: false });

/** Compares a server that lies, and returns the exit code and the lines. */
async function comparedWith(lie: Lie, apiKeysFile?: string): Promise<readonly [number, string]> {
  await using server = startCompared({ lie });
  const lines: string[] = [];
  const config = { ...configOf([]), apiKeysFile };
  const options = { sendKey: false, ca: undefined };
  const code = await compare(config, server.url, options, (line) => void lines.push(line))
    .catch((error) => {
      if (!(error instanceof CommandError)) throw error;
      lines.push(error.message);
      return 1;
    });
  assert(server.calls.length <= 60);
  return [code, lines.join("\n")];
}

Deno.test("every question has a lie, and every lie a question", () => {
  assertEquals(
    QUESTIONS.filter((each) => lieAbout(each) === undefined).map(({ name }) => name),
    [],
  );
  const unused = LIES.filter(([pattern]) => !QUESTIONS.some(({ name }) => pattern.test(name)));
  assertEquals(unused.map(([pattern]) => String(pattern)), []);
});

for (const question of QUESTIONS) {
  Deno.test(`a server that lies in one point is found and named: ${question.name}`, async () => {
    const { about, say } = lieAbout(question)!;
    let told = 0;
    const [code, report] = await comparedWith((call, reply) => {
      const said = about(call) ? say(reply) : reply;
      if (said.status !== reply.status || said.text !== reply.text) told++;
      return said;
    }, question.name.includes("API key") ? "/nowhere" : undefined);
    assert(told > 0, "The lie was not told");
    assertEquals(code, 1, report);
    const named = report.split("\n").filter((line) => /^(?:Option|Different): /.test(line));
    assert(named.some((line) => line.includes(question.name)), report);
  });
}

const FORMS = ["SOAP 1.1", "SOAP 1.2", "HTTP GET", "HTTP POST", "JSON", "short route"];

for (const [what, spoil] of SPOILT) {
  Deno.test(`a reply that is spoilt is found in every form: ${what}`, async () => {
    const [code, report] = await comparedWith((call, reply) => {
      const isRight = call.operation === "ValidatePin" && call.steps === 0;
      return isRight ? spoil(reply) : reply;
    });
    assertEquals(code, 1);
    for (const form of FORMS) {
      assert(new RegExp(`^Different: .*a right pin, by ${form}`, "m").test(report), report);
    }
  });
}

Deno.test("a WSDL that is sent as an error, or as no XML, is found: tools refuse to read it", async () => {
  const asHtml: RowLie["say"] = (reply) => ({ ...reply, type: "text/html" });
  for (const spoil of [withStatus(500), asHtml]) {
    const [code, report] = await comparedWith((call, reply) => isWsdl(call) ? spoil(reply) : reply);
    assertEquals(code, 1);
    assert(/^Different: .*the WSDL's operations/m.test(report), report);
  }
});

for (const [what, lie] of SERVERS) {
  Deno.test(`compare reports a server that ${what}`, async () => {
    const [code, report] = await comparedWith(lie);
    assertEquals(code, 1, report);
    assert(/^Different: /m.test(report), report);
  });
}

Deno.test("a server that sends no complete reply is no Authenticator", async () => {
  const [code, report] = await comparedWith((_call, reply) => ({
    ...reply,
    text: reply.text.slice(0, -2),
  }));
  assertEquals(code, 1);
  assert(report.endsWith(" does not answer as such a service: 200 text/xml"), report);
});

Deno.test("one cause is one line, however many answers it changes", async () => {
  const [, report] = await comparedWith((call, reply) =>
    call.form === "short route" ? reply : { ...reply, text: reply.text.replace("true", "false") }
  );
  const lines = report.match(/^(?:Option|Different): .*$/gm)!;
  // The question that has two answers has its own.
  assertEquals(lines.length, 2, report);
  assert(/a right pin, by SOAP 1.1; .*a right pin, by JSON/.test(lines[0]!), report);
});
