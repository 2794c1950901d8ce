import { assertEquals } from "@std/assert/equals";
import { ListenError, systemErrorCode } from "../../../../lib/server/listen/error.ts";

const PORT = { hostname: "127.0.0.1", port: 80 };
const SOCKET = { path: "/canary" };
const UNKNOWN = "the address cannot be used";
const NOT_IN_FOLDER = "this user may not create or replace a socket there";

// The code of the system, and what it means for a port and for a socket.
const REASONS: readonly (readonly [string, string, string])[] = [
  [
    "EADDRINUSE",
    "the port is in use by another program (stop it, or choose another port)",
    "the socket is in use by another program (stop it, or choose another path)",
  ],
  ["EADDRNOTAVAIL", "this machine does not have this address", UNKNOWN],
  ["EACCES", "this user may not listen on that port", NOT_IN_FOLDER],
  ["ENOTFOUND", "this machine has no address with that name", UNKNOWN],
  ["EMFILE", "too many files are open", "too many files are open"],
  [
    "NotCapable",
    "the program was started without the permission to listen there",
    "the program was started without the permission to create a file there",
  ],
  ["EEXIST", UNKNOWN, "the path is taken by something that is not a socket"],
  ["EPERM", UNKNOWN, NOT_IN_FOLDER],
  ["EROFS", UNKNOWN, "its folder is on a file system that is read-only"],
  ["ENOSPC", UNKNOWN, "the disk of its folder is full"],
  ["ENOENT", UNKNOWN, "its folder does not exist"],
  ["ENOTDIR", UNKNOWN, "what its path names as a folder is none"],
  ["ENAMETOOLONG", UNKNOWN, "the path is too long for a socket"],
  ["EINVAL", "this machine does not have this address", "the path is too long for a socket"],
  [
    "EAGAIN",
    UNKNOWN,
    "the socket is in use by another program (stop it, or choose another path)",
  ],
  ["EPROTOTYPE", UNKNOWN, "the path is taken by a socket of another kind"],
  ["canary", UNKNOWN, UNKNOWN],
];

for (const [code, ofPort, ofSocket] of REASONS) {
  Deno.test(`a ListenError says of ${code}: ${ofPort}; ${ofSocket}`, () => {
    assertEquals([new ListenError(PORT, code), new ListenError(SOCKET, code)].map(String), [
      `ListenError: cannot listen on 127.0.0.1, port 80: ${ofPort}`,
      `ListenError: cannot listen on the socket: ${ofSocket}`,
    ]);
  });
}

Deno.test("a ListenError blames no port for a name, since Bun says so of a name without an address", () => {
  const error = new ListenError({ hostname: "host.example", port: 80 }, "EADDRINUSE");
  assertEquals(
    error.message,
    "cannot listen on host.example, port 80: " +
      "the port is in use, or this machine has no address with that name",
  );
});

Deno.test("systemErrorCode() gives the code, or else the name", () => {
  const coded = (code: unknown): Error => Object.assign(new RangeError("canary"), { code });
  const errors = [coded("EMFILE"), coded(undefined), new RangeError("canary"), "canary", null];
  assertEquals(errors.map(systemErrorCode), ["EMFILE", "RangeError", "RangeError", "", ""]);
});
