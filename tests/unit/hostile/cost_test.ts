/**
 * The dearest requests that stay within the limits, to the handler in this process: no reply is
 * larger than 128 KiB, nor than its group allows, and none keeps others waiting.
 *
 * @module
 */

import { assertEquals } from "@std/assert/equals";
import { handlerServer } from "../../support/servers.ts";
import { complaints } from "../../support/cost/check.ts";
import { COST_GROUPS } from "../../support/cost/groups.ts";

for (const group of COST_GROUPS) {
  Deno.test(`the dearest requests get small replies: ${group.name}`, async () => {
    const server = handlerServer(group.args);
    const found: string[] = [];
    for (const dear of group.dear) found.push(...await complaints(server, group, dear, dear.size));
    assertEquals(found, []);
  });
}
