/**
 * URL of a service on the command line.
 *
 * @module
 */

import { UsageError } from "../../config/option.ts";

/**
 * Reads the URL of a service, with or without `/api.asmx`: its address without a slash at the end.
 *
 * @throws {UsageError} When it is none; the message does not quote it.
 */
export function parseServiceUrl(text: string | undefined): string {
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
  return origin + prefix.replace(/\/+$/, "");
}
