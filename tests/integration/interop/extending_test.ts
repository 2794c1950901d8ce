import { fileURLToPath } from "node:url";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { runToEnd } from "../../support/child.ts";
import { startProgram } from "../../support/program.ts";
import { changedCopy, changesUnder, LAYOUT_TEST } from "./recipe.ts";

const TEXT = "d\u00e9j\u00e0 vu <&> \u{1F511}";
const XML_TEXT = "d\u00e9j\u00e0 vu &lt;&amp;&gt; \u{1F511}";

/** Starts the server in a folder, lets a test talk to it, and ends it. */
async function withServer(folder: URL, talk: (base: string) => Promise<void>): Promise<void> {
  const command = [
    Deno.execPath(),
    "run",
    "--no-prompt",
    "-A",
    fileURLToPath(new URL("main.ts", folder)),
  ];
  const program = await startProgram(["--port", "0"], { command });
  try {
    await talk(program.url);
  } finally {
    program.signal("SIGTERM");
    await program.outcome;
  }
}

function envelope(namespace: string): string {
  return `<s:Envelope xmlns:s="${namespace}"><s:Body>` +
    `<Echo xmlns="http://authenticatorapi.com/"><text>${XML_TEXT}</text></Echo>` +
    `</s:Body></s:Envelope>`;
}

async function post(base: string, path: string, type: string, body: string): Promise<string> {
  const reply = await fetch(base + path, {
    method: "POST",
    headers: { "content-type": type },
    body,
  });
  const text = await reply.text();
  assertEquals(reply.status, 200, text);
  return text;
}

Deno.test("what docs/extending.md adds has types, and is answered in every binding", async () => {
  const folder = await changedCopy([
    ...changesUnder("Add an operation"),
    ...changesUnder("Add a binding"),
  ]);
  try {
    const layout = ["test", "--no-check", "--allow-read", LAYOUT_TEST];
    for (const args of [["check", "main.ts"], layout]) {
      const options = { cwd: folder, deadlineMs: 300_000 };
      const { code, stdout, stderr } = await runToEnd([Deno.execPath(), ...args], options);
      assertEquals(code, 0, stdout + stderr);
    }
    await withServer(folder, async (base) => {
      const query = `text=${encodeURIComponent(TEXT)}`;
      const form = "application/x-www-form-urlencoded";
      const soap11 = envelope("http://schemas.xmlsoap.org/soap/envelope/");
      const soap12 = envelope("http://www.w3.org/2003/05/soap-envelope");
      const get = await fetch(`${base}/api.asmx/Echo?${query}`);
      const got = await get.text();
      const root = `  <Text>${XML_TEXT}</Text>\r\n</Echoed>`;
      assert(got.endsWith(root), got);
      assert((await post(base, "/api.asmx/Echo", form, query)).endsWith(root));
      for (
        const [type, body] of [["text/xml", soap11], ["application/soap+xml", soap12]] as const
      ) {
        const reply = await post(base, "/api.asmx", `${type}; charset=utf-8`, body);
        assert(reply.includes(`<EchoResult><Text>${XML_TEXT}</Text></EchoResult>`), reply);
      }
      const json = await post(
        base,
        "/api.asmx/Echo",
        "application/json",
        JSON.stringify({ text: TEXT }),
      );
      assertEquals(JSON.parse(json).d.Text, TEXT);
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
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
