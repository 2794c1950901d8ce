import { assertEquals } from "@std/assert/equals";
import { distrust } from "../../lib/app/admin_client.ts";

const [US, THEM, ROOT] = [1000, 1001, 0];
const ANOTHER = "the socket of --admin-socket belongs to another user";
const FOLDER = "the folder of --admin-socket, or one above it, belongs to another user";
const OPEN =
  "other users may write to the folder of --admin-socket, or to one above it, and put a socket of " +
  "theirs there";

// Who asks, whose socket, whose folder, its mode, and why not.
const OWNERS: readonly (readonly [number, number, number, number, string?])[] = [
  [US, US, US, 0o700],
  [US, US, ROOT, 0o755],
  [US, US, ROOT, 0o1777],
  [US, ROOT, ROOT, 0o755],
  [US, THEM, US, 0o700, ANOTHER],
  [US, THEM, THEM, 0o700, ANOTHER],
  [US, THEM, ROOT, 0o1777, ANOTHER],
  [US, US, THEM, 0o755, FOLDER],
  [US, ROOT, THEM, 0o755, FOLDER],
  [US, US, ROOT, 0o777, OPEN],
  [US, US, US, 0o720, OPEN],
  [US, US, US, 0o702, OPEN],
  [ROOT, ROOT, ROOT, 0o755],
  // The server of a service with a user and a folder of its own.
  [ROOT, THEM, THEM, 0o750],
  [ROOT, THEM, THEM, 0o777, OPEN],
  [ROOT, THEM, ROOT, 0o1777, ANOTHER],
  [ROOT, ROOT, THEM, 0o755, FOLDER],
];

for (const [user, socket, folder, mode, expected] of OWNERS) {
  const owners = `${socket} in a folder of ${folder} with mode ${mode.toString(8)}`;
  Deno.test(`user ${user} ${expected ? "distrusts" : "trusts"} a socket of ${owners}`, () => {
    const shown = { uid: socket, mode: 0o600 };
    const its = { uid: folder, mode: 0o40000 | mode };
    const top = { uid: ROOT, mode: 0o40755 };
    assertEquals(distrust(shown, [its, top], user), expected);
    if (expected === ANOTHER) return;
    // Who may rename a folder above can put another in the place of all below.
    assertEquals(distrust(shown, [{ uid: socket, mode: 0o40700 }, its, top], user), expected);
  });
}
