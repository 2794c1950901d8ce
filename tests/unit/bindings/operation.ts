import type { Operation, ResultType } from "../../../lib/operations/operations.ts";

/** An operation of one parameter, which no test invokes. */
export function operation(name: string, result: ResultType): Operation {
  const texts = { purpose: () => "", example: () => "string" };
  return {
    name,
    documentation: "",
    parameters: [{ name: "x", max: 9, unit: "bytes", mayBeEmpty: true, ...texts }],
    result,
    refusesOtherSites: false,
    invoke: () => Promise.reject(),
  };
}
