/**
 * The other side of a comparison: the service at a URL, asked with care.
 *
 * @module
 */

import tls from "node:tls";
import { UsageError } from "../../config/option.ts";
import { send } from "../http_client.ts";
import { NoReplyError, type ServerReply } from "../http_reply.ts";
import { CommandError } from "../io/io.ts";
import type { SentCall } from "./service_calls.ts";
import { Redactor } from "../redactor.ts";

/** Most requests of a comparison. */
export const MAX_REQUESTS = 60;

/** Lost answers that end a comparison. */
const MAX_FAILURES = 3;

/** Parts of a comparison that tests replace. */
export interface CompareParts {
  /** Time for an answer, in milliseconds. */
  readonly timeoutMs: number;
  /** The clock: milliseconds since 1970. */
  readonly now: () => number;
  /** Waits for some milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
}

/**
 * Reads the URL of a service, with or without `/api.asmx`: its address without a slash at the end.
 *
 * @throws {UsageError} When it is none; the message does not quote it.
 */
export function parseServiceUrl(text = ""): string {
  if (!/^https?:\/\//i.test(text)) {
    throw new UsageError("compare needs a URL with http:// or https://");
  }
  if (!URL.canParse(text)) throw new UsageError("the URL has no valid host and port");
  const { origin, username, password, pathname, search, hash } = new URL(text);
  // A caller's address may be pasted, with a secret in its query.
  const isDocument = /^(?:\?(?:wsdl|disco|op=\w*))?$/i.test(search);
  if (username !== "" || password !== "" || hash !== "" || !isDocument) {
    throw new UsageError("the URL must have no user name, query and fragment");
  }
  return origin + pathname.replace(/(?:\/+(?:api\.asmx(?:\/\w+)?|\w+\.aspx))?\/*$/i, "");
}

/** The service at a URL. */
export class RemoteService {
  #failures = 0;
  /** Number of requests so far. */
  requests = 0;
  /** Lead of its clock at the first answer with a date, in milliseconds. */
  aheadMs: number | undefined;
  /** Maker of texts of this service. */
  readonly redactor: Redactor;

  /**
   * Makes a service; nothing is sent yet.
   *
   * @param place The address, by `parseServiceUrl`.
   * @param key The API key to send; undefined for none.
   * @param authorities Certificates to trust beside the runtime's, as PEM.
   */
  constructor(
    readonly place: string,
    readonly key: string | undefined,
    readonly authorities: readonly string[],
    readonly parts: CompareParts,
  ) {
    this.redactor = new Redactor(key === undefined ? [] : [key]);
  }

  /**
   * Sends a call.
   *
   * @param isAnonymous Whether it is sent without the API key.
   * @throws {NoReplyError} When there is no whole answer, or no request is left.
   * @throws {CommandError} When it makes no sense to go on.
   */
  async ask({ path, headers, ...call }: SentCall, isAnonymous = false): Promise<ServerReply> {
    if (this.requests >= MAX_REQUESTS) throw new NoReplyError(`${MAX_REQUESTS} requests were sent`);
    this.requests++;
    const url = new URL(this.place + path);
    const isTls = url.protocol === "https:";
    const key = isAnonymous ? undefined : this.key;
    const { timeoutMs, now } = this.parts;
    const sentMs = now();
    const reply = await send({
      host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: Number(url.port) || (isTls ? 443 : 80),
      path: url.pathname + url.search,
      ...(isTls && { isTls, ca: [...tls.rootCertificates, ...this.authorities] }),
      ...call,
      headers: { host: url.host, ...headers, ...(key && { "x-api-key": key }) },
      timeoutMs,
    }).catch((error: NoReplyError) => {
      if (++this.#failures < MAX_FAILURES) throw error;
      throw new CommandError(`${this.place} ${error.message}`);
    });
    this.aheadMs ??= aheadOf(reply.headers.date, sentMs, now());
    const refusal = this.#refusal(reply, isAnonymous);
    if (refusal !== undefined) throw new CommandError(`${this.place} ${refusal}`);
    return reply;
  }

  /** Returns, as a clause, the reason to ask nothing more after an answer. */
  #refusal({ status, headers }: ServerReply, isAnonymous: boolean): string | undefined {
    const { location, "retry-after": delay } = headers;
    if (status >= 300 && status < 400 && location !== undefined) {
      // The query is left out: it repeats that of the question.
      const target = this.redactor.text(location.replace(/[?#][^]*$/, ""));
      return `redirects to ${target}, which is not followed: give the URL that answers`;
    }
    if (status === 429 || status === 503 && delay !== undefined) {
      return `limits requests (status ${status}): let ${MAX_REQUESTS} requests of this machine ` +
        "through, and compare again";
    }
    if (status !== 401 || isAnonymous) return undefined;
    return this.key === undefined
      ? "requires an API key: give --api-keys-file, and --send-key to send its first"
      : "does not accept the first key of --api-keys-file";
  }
}

// Computes the lead of a Date field. It has whole seconds, and a server may keep one for a second.
function aheadOf(date: string | undefined, sentMs: number, readMs: number): number | undefined {
  const dateMs = Date.parse(date ?? "");
  if (Number.isNaN(dateMs)) return undefined;
  const [least, most] = [dateMs - readMs, dateMs + 2_000 - sentMs];
  return least <= 0 && most >= 0 ? 0 : Math.round((least + most) / 2);
}
