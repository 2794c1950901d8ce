/** The operator port and pages: a page on another port of the same machine, and a link in a dashboard. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { freePort } from "../../support/free_port.ts";
import { serverForTests } from "../../support/test_server.ts";
import { visit } from "./browser.ts";

const port = freePort();
const operator = `http://127.0.0.1:${port}`;
serverForTests("--metrics-port", String(port));

Deno.test("a page on another port cannot unlock a secret, and its link to the status is followed", async () => {
  await using other = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () =>
      new Response(`<title>Other</title><a href="${operator}/status">status</a>`, {
        headers: { "content-type": "text/html" },
      }),
  );
  await visit(`http://127.0.0.1:${other.addr.port}/`, async (page) => {
    await page.evaluate(`fetch("${operator}/guard/unlock", {
      method: "POST", mode: "no-cors", body: "correct horse battery" })`);
    const counted = await (await fetch(`${operator}/metrics`)).text();
    const [unlocks, ...others] = counted.split("\n")
      .filter((line) => line.includes('route="guard/unlock"'));
    assertEquals(others, []);
    assert(/outcome="forbidden"\} 1$/.test(unlocks!), unlocks);
    await page.click("a");
    await page.waitForURL(`${operator}/status`);
    assert((await page.innerText("body")).includes('"problems":[]'));
  }, { complaints: 1 });
});
