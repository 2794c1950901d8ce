import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { withFolder } from "../../../support/folder.ts";
import { SEAL_KEY_LINES, SEAL_KEYS_FILE, sealByJose } from "../../../support/seal_keys.ts";
import { assertHas, assertSame, compared } from "./compared.ts";

// The self-check of the last server here may outlive a test.
Deno.test.sanitizer({ ops: false });

// The lines of the file there and here (none without the option), and what is found.
const [FIRST, OLDER] = SEAL_KEY_LINES;
const FOREIGN = `foreign:${"13579bdf02468ace".repeat(4)}`;
const NAMESAKE = FOREIGN.replace("foreign", FIRST.split(":")[0]!);
const SEALING: readonly (readonly [readonly string[], readonly string[], string])[] = [
  [[FIRST], [FIRST, OLDER], "same"],
  [[OLDER], [FIRST, OLDER], "here a seal of the first key, there a seal of an older key"],
  [[FOREIGN], [FIRST, OLDER], "here a seal of the first key, there a seal of another key"],
  [[NAMESAKE], [FIRST, OLDER], "here a seal of the first key, there a seal of another key"],
  [[OLDER], [FIRST], "here a seal of the first key, there a seal of another key"],
  [[], [FIRST], "here a seal of the first key, there no seal"],
  [[FIRST], [], "here no seal, there a seal of another key"],
];

Deno.test("seal keys are compared, and leaving them out is never advised", async () => {
  await withFolder(async (folder) => {
    const optionOf = async (name: string, lines: readonly string[]): Promise<readonly string[]> => {
      if (lines.length === 0) return [];
      await Deno.writeTextFile(`${folder}/${name}`, `${lines.join("\n")}\n`);
      return ["--seal-keys-file", `${folder}/${name}`];
    };
    for (const [there, here, found] of SEALING) {
      const outcome = await compared(
        { args: await optionOf("there", there) },
        await optionOf("here", here),
      );
      if (found === "same") {
        assertSame(outcome);
        continue;
      }
      const { code, stdout } = outcome;
      assertEquals(code, 1);
      assertHas(stdout, `\nDifferent: the seal of a secret: ${found}.\n`);
      assertHas(stdout, "\nGive both the same --seal-keys-file, and take each step ");
      assert(!stdout.includes("no --seal-keys-file"), stdout);
    }
  });
});

Deno.test("a reply to the question about seals without a seal is named as such", async () => {
  // A limiter that has no Retry-After, a proxy for WebSocket, an error page, a seal of something else.
  const replies = [
    { status: 403, type: "text/html", text: "<h1>Forbidden</h1>" },
    { status: 400, type: "", text: "" },
    { status: 404, type: "text/html", text: "<center>nginx</center>" },
    { status: 200, type: "application/json", text: '{"d":"eyJhbGciOiJkaXIi"}' },
    { status: 200, type: "application/json", text: '{"d":"secret"}' },
  ];
  const options = [[], ["--seal-keys-file", SEAL_KEYS_FILE]];
  for (
    const [reply, args] of replies.flatMap((reply) => options.map((args) => [reply, args] as const))
  ) {
    const { code, stdout } = await compared({
      args,
      lie: (call, truth) => call.target === "/seal" ? reply : truth,
    });
    assertEquals(code, 1);
    assert(
      /^Different: the seal of a secret: here .*, there no answer to this question: /m.test(stdout),
      stdout,
    );
    assert(!/^Option: |seal-keys-file/m.test(stdout), stdout);
  }
});

// What answers /seal on the original's stack: ASP.NET, IIS in short and in detail, Mono.
const NO_SUCH_PATHS = [
  "<h2> <i>The resource cannot be found.</i> </h2>",
  "<h3>The resource you are looking for might have been removed, had its name changed, or is " +
  "temporarily unavailable.</h3>",
  "<h3>The resource you are looking for has been removed, had its name changed, or is temporarily " +
  "unavailable.</h3>",
  "<p>HTTP 404.The resource you are looking for (or one of its dependencies) could have been " +
  "removed, had its name changed, or is temporarily unavailable.</p>",
];

Deno.test("a 404 of the original's stack for a seal is no seal", async () => {
  for (const text of NO_SUCH_PATHS) {
    assertSame(
      await compared({
        lie: (call, truth) =>
          call.target === "/seal" ? { status: 404, type: "text/html", text } : truth,
      }),
    );
  }
});

Deno.test("a site that answers every path with 404 is no Authenticator, although it does not seal either", async () => {
  const { code, stderr } = await compared(
    {
      handler: () => ({ status: 404, type: "text/html", text: NO_SUCH_PATHS[0]! }),
    },
    [],
    (server) => assertEquals(server.calls.length, 8),
  );
  assertEquals(code, 1);
  assert(stderr.endsWith(" does not answer as such a service: 404 text/html.\n"), stderr);
});

Deno.test("a seal of another text than the one that was sent, or with another status, is no answer", async () => {
  const text = JSON.stringify({ d: await sealByJose("another secret") });
  for (const lie of [{ text }, { status: 202 }]) {
    const { code, stdout } = await compared({
      args: ["--seal-keys-file", SEAL_KEYS_FILE],
      lie: (call, truth) => call.target === "/seal" ? { ...truth, ...lie } : truth,
    });
    assertEquals(code, 1);
    assert(/there no answer to this question: 20\d application\/json\./.test(stdout), stdout);
  }
});
