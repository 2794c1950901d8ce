/**
 * The bindings of the service.
 *
 * @module
 */

import type { Binding, Reply } from "./binding.ts";
import { httpGetBinding, httpPostBinding } from "./http_get_post.ts";
import { JSON_BINDING } from "./json.ts";
import { soapBindings } from "./soap/soap.ts";

/**
 * Makes the bindings of the service, in order of precedence. The original's short routes have
 * bindings of their own in the table of routes.
 *
 * @param namespace Namespace name of the service.
 */
export function bindingsOf(namespace: string): readonly Binding[] {
  return [
    ...soapBindings(namespace),
    JSON_BINDING,
    httpPostBinding(namespace),
    httpGetBinding(namespace),
  ].map(writingBooleansOnce);
}

// Almost every reply is one of two: `true` and `false` of the same operation.
function writingBooleansOnce(binding: Binding): Binding {
  const written = new Map<string, Reply>();
  return {
    ...binding,
    writeReply: (operation, result) => {
      if (typeof result !== "boolean") return binding.writeReply(operation, result);
      const name = `${operation.name} ${result}`;
      const reply = written.get(name) ?? binding.writeReply(operation, result);
      written.set(name, reply);
      return reply;
    },
  };
}
