/**
 * Requests as expensive as the limits allow, to the handler in this process: no reply is larger than
 * 128 KiB, nor than its group allows, and none takes long.
 *
 * @module
 */

import { assertEquals } from "@std/assert/equals";
import { handlerServer } from "../../support/servers.ts";
import { costGroups, costProblems } from "../../support/cost/groups.ts";

for (const group of costGroups()) {
  Deno.test(`the most expensive requests get small replies: ${group.name}`, async () => {
    assertEquals(await costProblems(handlerServer(group.args), group), []);
  });
}
