/**
 * Ports for programs that must be told theirs.
 *
 * @module
 */

// Below those that systems give away by themselves (Linux: from 32,768 on; RFC 6335 §6: from 49,152):
// no connection, and no server that leaves the choice to the system, takes one that was chosen here
// before its program has it, or while that starts again.
const FIRST = 20_000;
const COUNT = 12_000;

// Files of tests run beside each other, and each begins somewhere else.
let next = Math.floor(Math.random() * COUNT);

/** A port of loopback that nothing listens on, and another one each time. */
export function freePort(): number {
  for (let tries = 0; tries < COUNT; tries++) {
    const port = FIRST + next++ % COUNT;
    if (isFree(port)) return port;
  }
  throw new Error("no port of loopback is free");
}

function isFree(port: number): boolean {
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return false;
    throw error;
  }
}
