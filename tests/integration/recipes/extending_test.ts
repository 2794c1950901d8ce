import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { type BindingName, BINDINGS, writeCall, type WrittenCall } from "../../support/calls.ts";
import { withProgram } from "../../support/program.ts";
import { withTree } from "../../support/sources.ts";
import { apply, RECIPES } from "./recipe.ts";

const TEXT = "d\u00e9j\u00e0 vu <&> \u{1F511}";
const XML_TEXT = "d\u00e9j\u00e0 vu &lt;&amp;&gt; \u{1F511}";

async function replyTo(base: string, { path, ...init }: WrittenCall): Promise<string> {
  const reply = await fetch(base + path, init);
  const text = await reply.text();
  assertEquals(reply.status, 200, text);
  return text;
}

Deno.test("each recipe shows the sources as they are", async () => {
  for (const recipe of RECIPES) await withTree("shown-", (folder) => apply(recipe, folder));
});

Deno.test("the operation of docs/extending.md answers in every binding, and in that of the page", async () => {
  await withTree("extending-", async (folder) => {
    for (const title of ["Add a binding", "Add an operation"]) {
      await apply(RECIPES.find((recipe) => recipe.title === title)!, folder);
    }
    const command = [Deno.execPath(), "run", "--no-prompt", "-A", `${folder}/main.ts`];
    await withProgram(["--port", "0"], async ({ url: base }) => {
      const query = `text=${encodeURIComponent(TEXT)}`;
      const root = `  <Text>${XML_TEXT}</Text>\r\n</Echoed>`;
      const found: Readonly<Record<BindingName, string>> = {
        "SOAP 1.1": `<EchoResult><Text>${XML_TEXT}</Text></EchoResult>`,
        "SOAP 1.2": `<EchoResult><Text>${XML_TEXT}</Text></EchoResult>`,
        "HTTP GET": root,
        "HTTP POST": root,
        "JSON": `"Text":${JSON.stringify(TEXT)}`,
      };
      for (const binding of BINDINGS) {
        const reply = await replyTo(base, writeCall(binding, "Echo", { text: TEXT }));
        const text = binding === "JSON" ? JSON.stringify(JSON.parse(reply)) : reply;
        assert(text.includes(found[binding]), reply);
      }
      const get = await fetch(`${base}/api.asmx/Echo?${query}`);
      const got = await get.text();
      const plain = await fetch(`${base}/api.asmx/Echo?${query}`, {
        headers: { accept: "text/plain" },
      });
      assertEquals(await plain.text(), `Text: ${TEXT}\r\n`);
      // The length in bytes, of a HEAD as well.
      const bytes = String(new TextEncoder().encode(got).length);
      const head = await fetch(`${base}/api.asmx/Echo?${query}`, { method: "HEAD" });
      assertEquals([get, head].map((reply) => reply.headers.get("content-length")), [bytes, bytes]);
      const page = await (await fetch(`${base}/api.asmx?op=Echo`)).text();
      assert(
        page.includes("Returns a text as it came.") && page.includes('aria-label="Reply of Echo"'),
      );
      const tooLong = await fetch(`${base}/api.asmx/Echo?text=${"x".repeat(257)}`);
      assertEquals(
        [tooLong.status, await tooLong.text()],
        [400, "Parameter text is longer than 256 characters.\r\n"],
      );
    }, { command });
  });
});
