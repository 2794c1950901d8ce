/**
 * GitHub's own parser of workflows. It imports its schema in a way that only bundlers take: bundle this
 * module, and import what that makes.
 *
 * @module
 */

export { NoOperationTraceWriter, parseWorkflow } from "@actions/workflow-parser";
