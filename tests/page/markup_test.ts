import { assertEquals } from "@std/assert/equals";
import { type Content, markup } from "../../lib/page/markup.ts";

Deno.test("a text in a template is escaped between tags, in attributes and in lists", () => {
  const hostile = `"'<&>\u00e9\u{1F511}\u2028\r`;
  const safe = "&quot;&#39;&lt;&amp;&gt;&#233;&#128273;&#8232;&#13;";
  assertEquals(
    markup`<p title="${hostile}">${hostile}${[hostile, [hostile]]}</p>`.html,
    `<p title="${safe}">${safe}${safe}${safe}</p>`,
  );
});

Deno.test("markup in a template stays as it is, and what is not wanted leaves nothing", () => {
  const rows: readonly (readonly [content: Content, html: string])[] = [
    [markup`<b>${"&"}</b>`, "<b>&amp;</b>"],
    [[markup`<b></b>`, "<b>", 1], "<b></b>&lt;b&gt;1"],
    [false, ""],
    [undefined, ""],
    [[], ""],
    [0, "0"],
  ];
  for (const [content, html] of rows) {
    assertEquals(markup`<p>${content}</p>`.html, `<p>${html}</p>`);
  }
});

Deno.test("the indentation of a template is left out, and no blank of a text", () => {
  const text = "\n  a  ";
  assertEquals(
    markup`
      <p>
        one
        two</p>
      <pre>${text}</pre>
    `.html,
    "<p>\none\ntwo</p>\n<pre>\n  a  </pre>",
  );
  assertEquals(markup`${text}${"&#10;"}`.html, `${text}&amp;#10;`);
});
