/**
 * GitHub's own parser of workflows. Its schema is a JSON import without an attribute, which only
 * bundlers resolve: bundle this module, and import the bundle.
 *
 * @module
 */

export { NoOperationTraceWriter, parseWorkflow } from "@actions/workflow-parser";
