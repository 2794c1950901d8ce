import { assertEquals } from "@std/assert/equals";
import { ListenError } from "../../../../lib/server/listen/error.ts";

const PORT = { hostname: "127.0.0.1", port: 80 };
const SOCKET = { path: "/canary" };
const UNKNOWN = "the address cannot be used";

// Codes of the system, and what they mean for a port and for a socket.
const IN_USE = "it is in use by another program (stop it, or choose another)";
const NOT_HERE = "this machine does not have this address";
const REASONS: readonly (readonly [string, string, string])[] = [
  ["EADDRINUSE", IN_USE, IN_USE],
  ["EADDRNOTAVAIL", NOT_HERE, NOT_HERE],
  ["EINVAL", NOT_HERE, "the path is too long"],
  ["EAGAIN", UNKNOWN, IN_USE],
  ["canary", UNKNOWN, UNKNOWN],
];

for (const [code, ofPort, ofSocket] of REASONS) {
  Deno.test(`a ListenError has for ${code}: ${ofPort}; ${ofSocket}`, () => {
    assertEquals([new ListenError(PORT, code), new ListenError(SOCKET, code)].map(String), [
      `ListenError: cannot listen on 127.0.0.1, port 80: ${ofPort}`,
      `ListenError: cannot listen on the socket: ${ofSocket}`,
    ]);
  });
}

Deno.test("a ListenError blames no port for a name, since Bun's error for an unknown name is that of a taken port", () => {
  const error = new ListenError({ hostname: "host.example", port: 80 }, "EADDRINUSE");
  assertEquals(
    error.message,
    "cannot listen on host.example, port 80: " +
      "it is in use, or the name has no address",
  );
});
