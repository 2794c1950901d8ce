import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { flagOf, namesOf } from "../../../lib/config/option.ts";
import { OPTIONS } from "../../../lib/config/options.ts";
import { parseCommand } from "../../../lib/cli/args/parse.ts";
import { handlerWith } from "../../support/handler.ts";
import { HERE, requestOf, wordsOf } from "./commands.ts";

// docs/switching.md: each command in it is run in process or is marked as not run, and what it states
// of bytes is so.

const PAGE = Deno.readTextFileSync(new URL("../../../docs/switching.md", import.meta.url));

interface Fence {
  readonly language: string;
  readonly text: string;
  readonly isRun: boolean;
}

const FENCES: readonly Fence[] = [...PAGE.matchAll(
  /(<!-- not run: [^>]+-->\n\n)?^```(\w+)\n([^]*?)^```$/gm,
)].map(([, mark, language, text]) => ({
  language: language!,
  text: text!.trimEnd(),
  isRun: mark === undefined,
}));

Deno.test("docs/switching.md: every command prints the output below it", async () => {
  const commands = FENCES.filter(({ language }) => language === "sh");
  assert(commands.length >= 4);
  assertEquals(commands.filter(({ isRun }) => !isRun).length, 1);
  for (const [index, { language, text, isRun }] of FENCES.entries()) {
    if (language !== "sh" || !isRun) continue;
    if (text.startsWith("npx ")) {
      const command = parseCommand(
        wordsOf(text.slice(text.indexOf(" start ") + 7)),
        () => undefined,
      );
      assertEquals(command.kind, "serve");
      continue;
    }
    const reply = await handlerWith()(requestOf(text));
    assertEquals(reply.status, 200, text);
    assertEquals((await reply.text()).replaceAll("\r\n", "\n"), FENCES[index + 1]!.text, text);
  }
});

Deno.test("docs/switching.md: each path of the hosted service is answered here", async () => {
  const [, section = ""] = PAGE.split("\n## Which address becomes which\n");
  const paths = [...section.split("\n## ")[0]!.matchAll(/`(GET|POST) (\/[^`]+)`/g)];
  assertEquals(paths.length, 7);
  for (const [, method, path] of paths) {
    const reply = await handlerWith()(new Request(`http://${HERE}${path}`, { method: method! }));
    assert(![404, 405].includes(reply.status), `${method} ${path}: ${reply.status}`);
  }
});

Deno.test("docs/switching.md: every flag that it names is one", () => {
  const flags = new Set(namesOf(OPTIONS).map(flagOf));
  const named = [...PAGE.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([flag]) => flag);
  const ofOthers = ["--yes", "--quiet"];
  assertEquals([...new Set(named)].filter((one) => !ofOthers.includes(one) && !flags.has(one)), []);
  assert(named.length > 5);
});
