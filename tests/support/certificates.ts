/**
 * Certificates for tests, valid for a hundred years but for one: `openssl req -x509 -newkey ec -pkeyopt
 * ec_paramgen_curve:prime256v1 -nodes -days 36500`, and `openssl x509 -req` for those of an authority.
 *
 * @module
 */

function read(name: string): string {
  return Deno.readTextFileSync(new URL(`certificates/${name}.pem`, import.meta.url));
}

/** A certificate of its own authority for pin.example.com, not for the address of a test's server. */
export const CERTIFICATE = read("pin_example_com");

/** Its private key. */
export const PRIVATE_KEY = read("pin_example_com_key");

/** An authority that ended on 23 November 2026, a hundred years before `CERTIFICATE`. */
export const ENDED = read("ended");

/** A certificate that a CA issued, with the address of the CA's own certificate. */
export const ISSUED = read("issued");

/** The authority of `STORE_CERTIFICATE`. */
export const AUTHORITY = read("authority");

/** A certificate of a Redis at 127.0.0.1. */
export const STORE_CERTIFICATE = read("store");

/** Its private key. */
export const STORE_KEY = read("store_key");

/** A certificate of its own authority that a client sends. */
export const CLIENT_CERTIFICATE = read("client");

/** Its private key. */
export const CLIENT_KEY = read("client_key");
