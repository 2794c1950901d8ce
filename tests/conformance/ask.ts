/**
 * Sends one request to the handler in this process, for the tests beside it.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { referenceHotp } from "../support/reference_totp.ts";
import { handlerServer } from "../support/servers.ts";

/** A request; what is not given is a GET without a body, to `otp.example`. */
export interface Ask {
  /** The command line options of the server. */
  readonly args?: readonly string[];
  /** The method. */
  readonly method?: string;
  /** Path and query. */
  readonly target: string;
  /** Header fields. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body. */
  readonly body?: string;
}

/** What came back. */
export interface Told {
  /** The status. */
  readonly status: number;
  /** The Content-Type, empty when there is none. */
  readonly type: string;
  /** The body as text. */
  readonly text: string;
  /** The body. */
  readonly bytes: Uint8Array;
  /** The header fields, their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
}

/** Sends a request and reads the reply. */
export async function ask({ args = [], method, target, headers = {}, body }: Ask): Promise<Told> {
  const fields = { Host: "otp.example", ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  const head = [`${method ?? (body === undefined ? "GET" : "POST")} ${target} HTTP/1.1`, ...lines];
  const bytes = new Uint8Array(Buffer.from(body ?? "", "utf8"));
  const reply = await handlerServer(args).send({ head, body: bytes });
  return {
    status: reply.status,
    type: reply.headers.get("content-type") ?? "",
    text: Buffer.from(reply.body).toString("utf8"),
    bytes: reply.body,
    headers: reply.headers,
  };
}

/** The pin of a secretCode, some time steps away from the server's now. */
export function pinOf(secretCode: string, stepsAway = 0): string {
  return referenceHotp(secretCode, Math.floor(handlerServer([]).clock.now() / 30_000) + stepsAway);
}

/** A SOAP request with one envelope. */
export function soap(version: "1.1" | "1.2", envelope: string, fields = {}): Ask {
  const type = version === "1.1" ? "text/xml" : "application/soap+xml";
  return {
    target: "/api.asmx",
    headers: { "Content-Type": `${type}; charset=utf-8`, ...fields },
    body: envelope,
  };
}
