/**
 * Bindings of `/seal`: a form in and the bare text out, or JSON both ways.
 *
 * @module
 */

import { SEAL } from "../operations/operations.ts";
import type { CallBinding } from "./binding.ts";
import { httpPostBinding } from "./http_get_post.ts";
import { JSON_BINDING, JSON_TYPE } from "./json.ts";
import { stringOf } from "./result.ts";

const FORM_BINDING = httpPostBinding("");

/** Binding of a form, whose reply is the sealed text alone. */
export const SEAL_FORM: CallBinding = {
  ...FORM_BINDING,
  accepts: () => true,
  readCall: (request) => ({ operation: SEAL, ...FORM_BINDING.readArguments(SEAL, request) }),
  writeReply: (_operation, result) => ({
    status: 200,
    contentType: "text/plain; charset=utf-8",
    body: stringOf(result),
  }),
};

/** Binding of JSON. */
export const SEAL_JSON: CallBinding = {
  ...JSON_BINDING,
  accepts: ({ mediaType }) => mediaType.essence === JSON_TYPE,
  readCall: (request) => ({ operation: SEAL, ...JSON_BINDING.readArguments(SEAL, request) }),
};
