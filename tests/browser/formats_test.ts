import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { serverForTests } from "../interop/server.ts";
import { choose, shows, visit } from "./browser.ts";
import { scan } from "./pairing.ts";

const server = serverForTests();

Deno.test("a chosen format and language are in all sections, with what was typed, and after a reload", async () => {
  await visit(`${server.url}/api.asmx`, async (page) => {
    await scan(page);
    const secret = "o'neill <b> 0123456789";
    await page.fill("#ValidatePin-secretCode", secret);
    await choose(page, "Pair", "SOAP 1.2");
    assertMatch(await page.innerText("#Pair-code"), /<soap:Reason>/);
    await choose(page, "ValidatePin", "PHP");
    // Opened without an operation, it stays so.
    assert(page.url().endsWith("/api.asmx?format=SOAP+1.2&lang=PHP#ValidatePin-program"));
    for (const operation of ["Pair", "ValidatePin"]) {
      const text = await page.innerText(`#${operation}-code`);
      assertMatch(text, /application\/soap\+xml/);
      assertMatch(text, /SoapClient/);
    }
    assertMatch(await page.innerText("#login-code"), /ValidatePin in PHP[^]*SoapClient/);
    assertMatch(await page.innerText("#ValidatePin-code"), /o\\'neill <b>/);
    assertEquals(await page.inputValue("#Pair-secretCode"), secret);
    await shows(page, "#announcement", "Language: PHP");
    await page.reload();
    assertMatch(await page.innerText("#login-code"), /ValidatePin in PHP[^]*SoapClient/);
    assertMatch(await page.innerText("#Pair-code"), /application\/soap\+xml/);
  });
});

Deno.test("of formats chosen one after the other, the last is shown, and its link keeps its place", async () => {
  await visit(`${server.url}/api.asmx?op=ValidatePin`, async (page) => {
    let go = (): void => {};
    const held = new Promise<void>((resolve) => go = resolve);
    await page.route("**/*format=JSON*", async (route) => {
      await held;
      await route.continue();
    });
    const [request] = await Promise.all([
      page.waitForRequest("**/*format=JSON*"),
      page.click("#ValidatePin-code a:text-is('JSON')"),
    ]);
    const link = page.locator("#ValidatePin-code a:text-is('SOAP 1.1')");
    const before = await link.boundingBox();
    await choose(page, "ValidatePin", "SOAP 1.1");
    assert(Math.abs((await link.boundingBox())!.y - before!.y) < 2);
    go();
    await (await request.response())!.finished();
    // Another reply, after which the held one has been dealt with.
    await page.evaluate("fetch('?disco').then((reply) => reply.text())");
    assertMatch(await page.innerText("#ValidatePin-code"), /SOAPAction/);
  });
});

Deno.test("a format that cannot be loaded is said, and nothing changes", async () => {
  await visit(`${server.url}/api.asmx?op=Pair`, async (page) => {
    const error = page.locator("#Pair-code .error:visible");
    await page.route("**/*format=JSON*", (route) => route.fulfill({ body: "<h1>Sign in</h1>" }));
    await page.click("#Pair-code a:text-is('JSON')");
    await error.filter({ hasText: "The reply is 200 OK, and not one of this service" }).waitFor();
    await page.route("**/*format=HTTP*", (route) => route.abort("connectionrefused"));
    await page.click("#Pair-code a:text-is('HTTP GET')");
    await error.filter({ hasText: "No reply: the server is not running" }).waitFor();
    await page.evaluate(
      "AbortSignal.timeout = () => AbortSignal.abort(new DOMException('', 'TimeoutError'))",
    );
    await page.click("#Pair-code a:text-is('SOAP 1.1')");
    await error.filter({ hasText: "No reply within 10 seconds." }).waitFor();
    await shows(page, "#announcement", await error.innerText());
    assertMatch(await page.innerText("#Pair-code"), /x-www-form-urlencoded/);
    assert(page.url().endsWith("?op=Pair"));
  }, { complaints: 2 });
});

Deno.test("another language keeps the reply that came", async () => {
  await visit(`${server.url}/api.asmx?op=ValidatePin`, async (page) => {
    await scan(page);
    await page.fill("#ValidatePin-pin", "1");
    await page.keyboard.press("Enter");
    const title = page.locator("#ValidatePin .reply .title");
    await title.filter({ hasText: /^Reply, \d+ ms$/ }).waitFor();
    await choose(page, "ValidatePin", "Python");
    assertMatch(await title.innerText(), /^Reply, \d+ ms$/);
    await choose(page, "ValidatePin", "JSON");
    assertEquals(await title.innerText(), "Sample reply");
  });
});

Deno.test("an operation's address shows its section, and a fragment what it names", async () => {
  for (const [query, id] of [["?op=ValidatePin", "ValidatePin"], ["?op=Pair#wsdl", "wsdl"]]) {
    await visit(`${server.url}/api.asmx${query}`, async (page) => {
      const top = (await page.locator(`#${id}`).boundingBox())!.y;
      assert(top >= 0 && top < 100, `${query}: ${top} px`);
      assertMatch(await page.title(), /^(?:Pair|ValidatePin) - Authenticator$/);
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
