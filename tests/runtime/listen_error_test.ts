import { assertEquals } from "@std/assert/equals";
import { explained, ListenError, systemErrorCode } from "../../lib/runtime/listen_error.ts";

const PORT = { hostname: "127.0.0.1", port: 80 };
const SOCKET = { path: "/canary" };
const UNKNOWN = "the address cannot be used";
const NOT_IN_FOLDER = "this user may not create a file in its folder";

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
  ["OthersSocket", UNKNOWN, "the path is taken by a socket of another user"],
  ["EPERM", UNKNOWN, NOT_IN_FOLDER],
  ["EROFS", UNKNOWN, "its folder is on a file system that is read-only"],
  ["ENOSPC", UNKNOWN, "the disk of its folder is full"],
  ["ENOENT", UNKNOWN, "its folder does not exist"],
  ["ENOTDIR", UNKNOWN, "what its path names as a folder is none"],
  ["ENAMETOOLONG", UNKNOWN, "the path is too long for a socket"],
  ["EINVAL", UNKNOWN, "the path is too long for a socket"],
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

Deno.test("explained() looks whether a name has an address, whatever the error says of it", async () => {
  const said = async (hostname: string, code: string, failure?: Error): Promise<unknown> => {
    const address = { hostname, port: 80 };
    const asked: string[] = [];
    const find = (name: string): Promise<void> => {
      asked.push(name);
      return failure === undefined ? Promise.resolve() : Promise.reject(failure);
    };
    const { message } = await explained(
      address,
      new ListenError(address, code),
      find,
    ) as ListenError;
    assertEquals(asked, /^[0-9.:]+$/.test(hostname) && hostname !== "300.1.1.1" ? [] : [hostname]);
    return message.replace(`cannot listen on ${hostname}, port 80: `, "");
  };
  const inUse = "the port is in use by another program (stop it, or choose another port)";
  const notHere = "this machine has no address with that name";
  const notFound = Object.assign(new Error("canary"), { code: "ENOTFOUND" });
  for (const hostname of ["host.example", "300.1.1.1"]) {
    for (const code of ["EADDRINUSE", "EACCES", "canary"]) {
      assertEquals(await said(hostname, code, notFound), notHere);
    }
    assertEquals(await said(hostname, "EADDRINUSE"), inUse);
    // Who may not look knows nothing of it.
    assertEquals(await said(hostname, "EADDRINUSE", new Deno.errors.NotCapable()), inUse);
  }
  for (const hostname of ["127.0.0.1", "::1"]) {
    assertEquals(await said(hostname, "EADDRINUSE", notFound), inUse);
    assertEquals(await said(hostname, "canary", notFound), UNKNOWN);
  }
});

Deno.test("systemErrorCode() gives the code, or else the name", () => {
  const coded = (code: unknown): Error => Object.assign(new RangeError("canary"), { code });
  const errors = [coded("EMFILE"), coded(undefined), new RangeError("canary"), "canary", null];
  assertEquals(errors.map(systemErrorCode), ["EMFILE", "RangeError", "RangeError", "", ""]);
});
