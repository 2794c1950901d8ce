import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { callCommand } from "../../../support/command.ts";

// A server that does not start leaves its signals to the end of the process.
Deno.test.sanitizer({ ops: false, resources: false });

Deno.test("a server does not start where WebCrypto and the program compute other codes", async () => {
  for (const algorithm of ["SHA1", "SHA256", "SHA512"]) {
    const { sign } = crypto.subtle;
    crypto.subtle.sign = () => Promise.resolve(new ArrayBuffer(64));
    try {
      const args = ["serve", "--port", "0", "--algorithm", algorithm];
      const { code, stdout, stderr } = await callCommand(args);
      assertEquals([code, stdout], [1, ""]);
      assertMatch(stderr, new RegExp(`the codes of ${algorithm} .* here are different\n$`));
    } finally {
      crypto.subtle.sign = sign;
    }
  }
});
