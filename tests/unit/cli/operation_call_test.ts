import { assertEquals } from "@std/assert/equals";
import { inWordsOfOptions } from "../../../lib/cli/operation_call.ts";

Deno.test("inWordsOfOptions() returns other errors than faults unchanged", () => {
  for (const error of [new TypeError("Parameter secretCode."), "thrown", undefined]) {
    assertEquals(inWordsOfOptions(error) === error, true);
  }
});
