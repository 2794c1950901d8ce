import { assertEquals } from "@std/assert/equals";
import { ListenError, systemErrorCode } from "../../lib/runtime/listen_error.ts";

const PORT = { hostname: "127.0.0.1", port: 80 };
const SOCKET = { path: "/canary" };
const UNKNOWN = "the address cannot be used";

// The code of the system, and what it means for a port and for a socket.
const REASONS: readonly (readonly [string, string, string])[] = [
  [
    "EADDRINUSE",
    "the port is in use by another program (stop it, or choose another port)",
    "the socket is in use by another program (stop it, or choose another path)",
  ],
  ["EADDRNOTAVAIL", "this machine does not have this address", UNKNOWN],
  ["EACCES", "this user may not listen on that port", "this user may not create a file there"],
  ["EMFILE", "too many files are open", "too many files are open"],
  [
    "NotCapable",
    "the program was started without the permission to listen there",
    "the program was started without the permission to create a file there",
  ],
  ["EEXIST", UNKNOWN, "the path is taken by something that is not a socket"],
  ["EPERM", UNKNOWN, "this user may not create a file there"],
  ["EROFS", UNKNOWN, "this user may not create a file there"],
  ["ENOENT", UNKNOWN, "its folder does not exist"],
  ["ENOTDIR", UNKNOWN, "its folder does not exist"],
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

Deno.test("a ListenError says of a name that it may be none here, and of nothing else", () => {
  const inUse = "the port is in use by another program";
  const choose = "(stop it, or choose another port)";
  const notHere = "this machine has no address with that name";
  for (
    const [hostname, reason, unknown] of [
      ["host.example", `${inUse}, or ${notHere}`, notHere],
      ["300.1.1.1", `${inUse}, or ${notHere}`, notHere],
      ["localhost", `${inUse} ${choose}`, UNKNOWN],
      ["::1", `${inUse} ${choose}`, UNKNOWN],
    ] as const
  ) {
    const errors = ["EADDRINUSE", "canary"].map((code) =>
      new ListenError({ hostname, port: 80 }, code).message
    );
    const start = `cannot listen on ${hostname}, port 80:`;
    assertEquals(errors, [`${start} ${reason}`, `${start} ${unknown}`]);
  }
  const { message } = new ListenError({ hostname: "host.example", port: 80 }, "EMFILE");
  assertEquals(message, "cannot listen on host.example, port 80: too many files are open");
});

Deno.test("systemErrorCode() gives the code, or else the name", () => {
  const coded = (code: unknown): Error => Object.assign(new RangeError("canary"), { code });
  const errors = [coded("EMFILE"), coded(undefined), new RangeError("canary"), "canary", null];
  assertEquals(errors.map(systemErrorCode), ["EMFILE", "RangeError", "RangeError", "", ""]);
});
