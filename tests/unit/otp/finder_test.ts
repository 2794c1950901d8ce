import { assertRejects } from "@std/assert/rejects";
import { checkFinder, FinderError, FINDERS, type FindTimeStep } from "../../../lib/otp/finder.ts";

Deno.test("checkFinder() passes the finders of all hashes and lengths of a code", async () => {
  for (const algorithm of ["SHA1", "SHA256", "SHA512"] as const) {
    for (const digits of [6, 7, 8]) await checkFinder(FINDERS[algorithm], { algorithm, digits });
  }
});

Deno.test("checkFinder() rejects a finder that differs from WebCrypto, in whatever way", async () => {
  const broken: readonly FindTimeStep[] = [
    () => 0,
    () => undefined,
    FINDERS.SHA256,
    (key, check) => (FINDERS.SHA1(key, check) ?? 0) + 1,
    () => {
      throw new Error("Thrown by a test");
    },
  ];
  for (const find of broken) {
    await assertRejects(() => checkFinder(find, { algorithm: "SHA1", digits: 6 }), FinderError);
  }
});
