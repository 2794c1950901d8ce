import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { serverForTests } from "../../support/test_server.ts";
import { choose, panelOf, visit } from "./browser.ts";
import { scan } from "./pairing.ts";

const server = serverForTests();

Deno.test("a chosen format and language are shown with what was typed, and forgotten by a reload", async () => {
  await visit(`${server.url}/api.asmx`, async (page) => {
    await scan(page);
    const secret = "o'neill <b> 0123456789";
    await page.fill("#ValidatePin-secretCode", secret);
    await choose(page, "Pair", "SOAP 1.2");
    assertMatch(await panelOf(page, "Pair").innerText(), /<soap:Reason>/);
    assertMatch(await panelOf(page, "Pair").innerText(), /o'neill &#60;b&#62; 0123456789/);
    await choose(page, "login", "PHP");
    assertMatch(await panelOf(page, "login").innerText(), /Needs PHP[^]*<\?php/);
    assertMatch(await panelOf(page, "ValidatePin").innerText(), /x-www-form-urlencoded/);
    assertEquals(await page.inputValue("#Pair-secretCode"), secret);
    await page.reload();
    assertMatch(await panelOf(page, "login").innerText(), /Needs curl/);
    assertMatch(await panelOf(page, "Pair").innerText(), /x-www-form-urlencoded/);
  });
});

const PROGRAMS = [...Deno.readDirSync(new URL("../../../lib/page/programs", import.meta.url))];

Deno.test("every language and every format has its panel, with and without script", async () => {
  for (const javaScriptEnabled of [true, false]) {
    await visit(`${server.url}/api.asmx`, async (page) => {
      for (const section of ["login", "Pair", "ValidatePin"]) {
        const labels = await page.locator(`#${section} .choice > label`).allInnerTexts();
        assertEquals(labels.length, section === "login" ? PROGRAMS.length : 5);
        const seen = new Set<string>();
        for (const label of labels) {
          await choose(page, section, label);
          assertEquals(await panelOf(page, section).count(), 1, label);
          const text = await panelOf(page, section).innerText();
          seen.add(text);
          if (section === "login") {
            assertMatch(text, new RegExp(`\\n${label.replace("#", "\\#")}\\s`));
          }
        }
        assertEquals(seen.size, labels.length);
      }
    }, { javaScriptEnabled });
  }
});

Deno.test("another format keeps the reply that came", async () => {
  await visit(`${server.url}/api.asmx?op=ValidatePin`, async (page) => {
    await scan(page);
    await page.fill("#ValidatePin-pin", "1");
    await page.keyboard.press("Enter");
    const caption = page.locator("#ValidatePin .reply:visible figcaption");
    await caption.filter({ hasText: /^Reply, \d+ ms/ }).waitFor();
    await choose(page, "ValidatePin", "JSON");
    assertMatch(await caption.innerText(), /^Sample reply/);
    await choose(page, "ValidatePin", "HTTP POST");
    assertMatch(await caption.innerText(), /^Reply, \d+ ms/);
    await page.fill("#ValidatePin-pin", "2");
    assertMatch(await caption.innerText(), /^Reply to the last request/);
  });
});

Deno.test("an operation's address shows its section, and a fragment the place that it names", async () => {
  for (
    const [query, id] of [
      ["?op=ValidatePin", "ValidatePin"],
      ["?OP=Pair", "Pair"],
      ["?op=ValidatePin&op=Pair", "Pair"],
      ["?op=Pair#wsdl", "wsdl"],
    ]
  ) {
    await visit(`${server.url}/api.asmx${query}`, async (page) => {
      const top = (await page.locator(`#${id}`).boundingBox())!.y;
      assert(top >= 0 && top < 100, `${query}: ${top} px`);
    });
  }
});

Deno.test("the descriptions are readable: the browser may style its own view of XML", async () => {
  for (const path of ["?wsdl", "?disco"]) {
    await visit(`${server.url}/api.asmx${path}`, async (page) => {
      await page.locator("#webkit-xml-viewer-source-xml, .pretty-print").first().waitFor({
        state: "attached",
      });
    });
  }
});
