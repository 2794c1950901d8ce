/**
 * Sends one request to the handler in this process, for the tests beside it.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { handlerServer } from "../../support/servers.ts";

/** A request; what is not given is a GET without a body, to `otp.example`. */
export interface Ask {
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
  /** The body as text. */
  readonly text: string;
}

/** Sends a request and reads the reply. */
export async function ask({ method, target, headers = {}, body }: Ask): Promise<Told> {
  const fields = { Host: "otp.example", ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  const head = [`${method ?? (body === undefined ? "GET" : "POST")} ${target} HTTP/1.1`, ...lines];
  const bytes = new Uint8Array(Buffer.from(body ?? "", "utf8"));
  const reply = await handlerServer([]).send({ head, body: bytes });
  return { status: reply.status, text: Buffer.from(reply.body).toString("utf8") };
}
