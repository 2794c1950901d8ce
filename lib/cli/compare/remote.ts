/**
 * The other side of a comparison: the service at a URL, asked with care.
 *
 * @module
 */

import tls from "node:tls";
import { flagOf, UsageError } from "../../config/option.ts";
import { printable } from "../../system/foreign_text.ts";
import { NoReplyError, send } from "../http_client.ts";
import { CommandError } from "../io/io.ts";
import type { Call, Reply } from "./calls.ts";
import { mediaTypeOf } from "./local.ts";

/** Most requests of a comparison. */
export const MAX_REQUESTS = 60;

/** Failures that end a comparison. */
const MAX_FAILURES = 3;

/** Time for an answer, in milliseconds. */
export const ANSWER_TIMEOUT_MS = 10_000;

/** Failure of one question; the message is a clause. */
export class NoAnswerError extends Error {}

/** Address of a service. */
export interface ServiceAddress {
  /** Scheme and authority. */
  readonly origin: string;
  /** Path above `/api.asmx`, without a slash at its end. */
  readonly prefix: string;
}

/**
 * Reads the URL of a service, with or without `/api.asmx`.
 *
 * @throws {UsageError} When it is none; the message does not quote it.
 */
export function parseServiceUrl(text: string | undefined): ServiceAddress {
  if (text === undefined) {
    throw new UsageError("compare needs a URL, for instance https://pins.example.com");
  }
  if (!/^https?:\/\//i.test(text)) {
    throw new UsageError("the URL must begin with http:// or https://");
  }
  if (!URL.canParse(text)) throw new UsageError("the URL has no valid host and port");
  const { origin, username, password, pathname, search, hash } = new URL(text);
  // A caller's address may be pasted, with a secret in its query.
  const isDocument = /^(?:\?(?:wsdl|disco|op=\w*))?$/i.test(search);
  if (username !== "" || password !== "" || hash !== "" || !isDocument) {
    throw new UsageError("the URL must have no user name, query and fragment");
  }
  const prefix = pathname.replace(/\/+$/, "").replace(/\/(?:api\.asmx(?:\/\w+)?|\w+\.aspx)$/i, "");
  return { origin, prefix: prefix.replace(/\/+$/, "") };
}

/** Connection settings of the other side. */
export interface RemoteSettings extends ServiceAddress {
  /** API key to send; undefined for none. */
  readonly key: string | undefined;
  /** Certificates of authorities to trust beside the runtime's, as PEM. */
  readonly ca: readonly string[];
  /** Time for an answer, in milliseconds. */
  readonly timeoutMs: number;
  /** The clock: milliseconds since 1970. */
  readonly now: () => number;
}

/** The service at a URL. */
export class RemoteService {
  readonly #settings: RemoteSettings;
  #failures = 0;
  /** Number of requests so far. */
  requests = 0;
  /** How far its clock was ahead at the first answer with a date, in milliseconds. */
  aheadMs: number | undefined;

  /** Makes the service of its settings; nothing is sent yet. */
  constructor(settings: RemoteSettings) {
    this.#settings = settings;
  }

  /** Its address, for a person. */
  get place(): string {
    return this.#settings.origin + this.#settings.prefix;
  }

  /**
   * Sends a call.
   *
   * @throws {NoAnswerError} When there is no whole answer, or no request is left.
   * @throws {CommandError} When it makes no sense to go on.
   */
  async ask({ method, path, headers, body }: Call, isAnonymous: boolean): Promise<Reply> {
    if (this.requests >= MAX_REQUESTS) {
      throw new NoAnswerError(`not asked: ${MAX_REQUESTS} requests were sent`);
    }
    this.requests++;
    const { origin, prefix, key, ca, timeoutMs, now } = this.#settings;
    const { protocol, hostname, port, host } = new URL(origin);
    const isTls = protocol === "https:";
    const sentMs = now();
    try {
      const reply = await send({
        method,
        body,
        timeoutMs,
        isTls,
        host: hostname.replace(/^\[(.*)\]$/, "$1"),
        port: port || (isTls ? 443 : 80),
        path: prefix + path,
        headers: {
          host,
          connection: "close",
          ...headers,
          ...(body !== undefined && { "content-length": new TextEncoder().encode(body).length }),
          ...(key !== undefined && !isAnonymous && { "x-api-key": key }),
        },
        ...(isTls && { ca: [...tls.rootCertificates, ...ca] }),
      });
      const { status, headers: fields, text } = reply;
      this.aheadMs ??= aheadOf(fields.date, sentMs, now());
      this.#refuse(status, fields.location, isAnonymous);
      return { status, type: mediaTypeOf(fields["content-type"]), text };
    } catch (error) {
      if (!(error instanceof NoReplyError)) throw error;
      if (++this.#failures < MAX_FAILURES) throw new NoAnswerError(`no answer: ${error.message}`);
      throw new CommandError(`${this.place} ${error.message}`);
    }
  }

  /** Ends a comparison that an answer makes pointless. */
  #refuse(status: number, location: string | undefined, isAnonymous: boolean): void {
    if (status >= 300 && status < 400 && location !== undefined) {
      // The query is left out: it repeats that of the question.
      const target = shown(location.replace(/[?#][^]*$/, ""));
      throw new CommandError(
        `${this.place} redirects to ${target}, which is not followed: give the URL that answers`,
      );
    }
    if (status !== 401 || isAnonymous) return;
    const file = flagOf("apiKeysFile");
    throw new CommandError(
      this.#settings.key === undefined
        ? `${this.place} requires an API key: give ${file}, and ${
          flagOf("sendKey")
        } to send its first`
        : `${this.place} does not accept the first key of ${file}`,
    );
  }
}

// Reads how far a Date field is ahead. It has whole seconds, and a server may keep one for a second.
function aheadOf(date: string | undefined, sentMs: number, readMs: number): number | undefined {
  const dateMs = Date.parse(date ?? "");
  if (Number.isNaN(dateMs)) return undefined;
  const [least, most] = [dateMs - readMs, dateMs + 2_000 - sentMs];
  return least <= 0 && most >= 0 ? 0 : Math.round((least + most) / 2);
}

/** Makes a text of the other side printable, without setup keys. */
export function shown(text: string): string {
  return printable(text.replace(/[A-Z2-7]{16,}/g, "…"));
}
