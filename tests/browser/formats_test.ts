import { assertMatch } from "@std/assert/match";
import type { Page } from "playwright-core";
import { serverForTests } from "../interop/server.ts";
import { visit } from "./browser.ts";

const server = serverForTests();

/** Waits until the errors are shown in a format, and gives the one that is seen. */
async function errorIn(page: Page, format: string): Promise<string> {
  const label = page.locator(`#errors-by input:checked + label:text-is('${format}')`);
  await label.waitFor();
  return await page.locator("#errors-by input:checked + label + .panel pre").innerText();
}

Deno.test("errors follow the format that is chosen, until another of theirs is chosen", async () => {
  await visit(`${server.url}/api.asmx?op=Pair`, async (page) => {
    assertMatch(await errorIn(page, "HTTP POST"), /^HTTP\/1\.1 400 [^]*text\/plain/);
    await page.click("#calls label:text-is('SOAP 1.1')");
    assertMatch(await errorIn(page, "SOAP 1.1"), /^HTTP\/1\.1 500 [^]*<soap:Fault>/);
    await page.click("nav a:text-is('ValidatePin')");
    await page.locator("h1", { hasText: "ValidatePin" }).waitFor();
    assertMatch(await errorIn(page, "SOAP 1.1"), /<soap:Fault>/);
    await page.click("#errors-by label:text-is('JSON')");
    assertMatch(await errorIn(page, "JSON"), /"Message"/);
    await page.click("nav a:text-is('Pair')");
    await page.locator("h1", { hasText: /^Pair$/ }).waitFor();
    assertMatch(await errorIn(page, "JSON"), /"Message"/);
    await page.click("#calls label:text-is('SOAP 1.2')");
    assertMatch(await errorIn(page, "SOAP 1.2"), /<soap:Reason>/);
  });
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
