/**
 * The one table of routes. A path and a method that are in no row are answered by nobody.
 *
 * @module
 */

import { pairAspxBinding, validateAspxBinding } from "../bindings/aspx.ts";
import { calls } from "./call.ts";
import { documents, openApiDocument } from "./documents.ts";
import type { CreateRouteHandler } from "./exchange.ts";
import { guardNameRoute, guardStatusRoute, guardUnlockRoute } from "./guard_endpoints.ts";
import { health, metrics, picture, readiness, redirect } from "./probes.ts";

/** A row of the table. */
export interface Route {
  /**
   * The path; its file part in lower case, since it is compared without case. An asterisk behind it
   * stands for the name of an operation, which is left as it was sent. Any other text behind a slash is
   * compared with case.
   */
  readonly path: string;
  /** The methods. GET stands for HEAD as well; OPTIONS is answered on every path. */
  readonly methods: readonly ("GET" | "POST")[];
  /** Whether callers need a key, where the operator gave some out: load balancers have none. */
  readonly wantsKey: boolean;
  /** The name for log and metrics. */
  readonly name: string;
  /** What answers. */
  readonly answer: CreateRouteHandler;
}

const service = calls(({ bindings }) => bindings);

// deno-fmt-ignore
/** The rows. Of those with one path, the first that has the method answers. */
export const ROUTES: readonly Route[] = [
  { path: "/api.asmx",      methods: ["POST"],        wantsKey: true,  name: "service",       answer: service },
  { path: "/api.asmx",      methods: ["GET"],         wantsKey: true,  name: "description",   answer: documents },
  { path: "/api.asmx/*",    methods: ["GET", "POST"], wantsKey: true,  name: "service",       answer: service },
  { path: "/openapi.json",  methods: ["GET"],         wantsKey: true,  name: "openapi",       answer: openApiDocument },
  { path: "/pair.aspx",     methods: ["GET", "POST"], wantsKey: true,  name: "pair.aspx",     answer: calls(() => [pairAspxBinding()]) },
  { path: "/validate.aspx", methods: ["GET", "POST"], wantsKey: true,  name: "validate.aspx", answer: calls(() => [validateAspxBinding()]) },
  { path: "/qr.aspx",       methods: ["GET", "POST"], wantsKey: true,  name: "qr.aspx",       answer: picture },
  { path: "/",              methods: ["GET"],         wantsKey: true,  name: "root",          answer: redirect },
  { path: "/healthz",       methods: ["GET"],         wantsKey: false, name: "healthz",       answer: health },
  { path: "/readyz",        methods: ["GET"],         wantsKey: false, name: "readyz",        answer: readiness },
  { path: "/metrics",       methods: ["GET"],         wantsKey: true,  name: "metrics",       answer: metrics },
];

// deno-fmt-ignore
/** The rows of the operator port. */
export const OPERATOR_ROUTES: readonly Route[] = [
  { path: "/healthz",       methods: ["GET"],         wantsKey: false, name: "healthz",       answer: health },
  { path: "/readyz",        methods: ["GET"],         wantsKey: false, name: "readyz",        answer: readiness },
  { path: "/metrics",       methods: ["GET"],         wantsKey: false, name: "metrics",       answer: metrics },
  { path: "/guard/status",  methods: ["GET"],         wantsKey: true,  name: "guard/status",  answer: guardStatusRoute },
  { path: "/guard/name",    methods: ["POST"],        wantsKey: true,  name: "guard/name",    answer: guardNameRoute },
  { path: "/guard/unlock",  methods: ["POST"],        wantsKey: true,  name: "guard/unlock",  answer: guardUnlockRoute },
];
