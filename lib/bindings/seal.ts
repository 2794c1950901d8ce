/**
 * Bindings of `/seal`: a form in and the bare text out, or JSON both ways.
 *
 * @module
 */

import type { PathBinding } from "./binding.ts";
import { FORM_READER, writePlainFault } from "./http_get_post.ts";
import { JSON_BINDING, JSON_TYPE } from "./json.ts";
import { simpleOf } from "./result.ts";

/** Binding of a form, whose reply is the sealed text alone. */
export const SEAL_FORM: PathBinding = {
  ...FORM_READER,
  accepts: () => true,
  writeReply: ({ result: type }, result) => ({
    status: 200,
    contentType: "text/plain; charset=utf-8",
    body: String(simpleOf(type, result)),
  }),
  writeFault: writePlainFault,
};

/** Binding of JSON. */
export const SEAL_JSON: PathBinding = {
  ...JSON_BINDING,
  accepts: ({ mediaType }) => mediaType.essence === JSON_TYPE,
};
