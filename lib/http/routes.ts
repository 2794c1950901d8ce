/**
 * The one table of routes. A path or method in no row gets 404 or 405.
 *
 * @module
 */

import { pairAspxBinding, validateAspxBinding } from "../bindings/aspx.ts";
import { calls } from "./call.ts";
import { documents, openApiDocument, redirect } from "./documents.ts";
import type { CreateRouteHandler } from "./exchange.ts";
import { guardNameRoute, guardStatusRoute, guardUnlockRoute } from "./guard_endpoints.ts";
import { picture } from "./picture.ts";
import type { HandlerOptions } from "./options.ts";
import { health, metrics, readiness } from "./probes.ts";
import { statusRoute } from "./status.ts";

/** A row of the table. */
export interface Route {
  /**
   * Path, its file part in lower case, since that is compared without case. `/*` stands for any
   * operation name, which keeps its case; any other text behind a slash is compared with case.
   */
  readonly path: string;
  /** Methods; GET includes HEAD, and OPTIONS is answered on every path. */
  readonly methods: readonly ("GET" | "POST")[];
  /** Whether a key is required when the operator set keys; load balancers have no key. */
  readonly wantsKey: boolean;
  /** Name in log and metrics. */
  readonly name: string;
  /** Makes the handler of the route. */
  readonly answer: CreateRouteHandler;
  /** Whether the options enable the route; by default they do. */
  readonly isEnabled?: (options: HandlerOptions) => boolean;
}

const hasMetrics = ({ metricsPage }: HandlerOptions): boolean => metricsPage !== undefined;
const hasStatus = ({ status }: HandlerOptions): boolean => status !== undefined;

const service = calls(({ bindings }) => bindings);

// deno-fmt-ignore
/** Routes of the service; for equal paths, the first row with the method answers. */
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
  { path: "/metrics",       methods: ["GET"],         wantsKey: true,  name: "metrics",       answer: metrics, isEnabled: hasMetrics },
];

// deno-fmt-ignore
/** Routes of the operator port. */
export const OPERATOR_ROUTES: readonly Route[] = [
  { path: "/healthz",       methods: ["GET"],         wantsKey: false, name: "healthz",       answer: health },
  { path: "/readyz",        methods: ["GET"],         wantsKey: false, name: "readyz",        answer: readiness },
  { path: "/metrics",       methods: ["GET"],         wantsKey: false, name: "metrics",       answer: metrics, isEnabled: hasMetrics },
  { path: "/status",        methods: ["GET"],         wantsKey: true,  name: "status",        answer: statusRoute, isEnabled: hasStatus },
  { path: "/guard/status",  methods: ["GET"],         wantsKey: true,  name: "guard/status",  answer: guardStatusRoute },
  { path: "/guard/name",    methods: ["POST"],        wantsKey: true,  name: "guard/name",    answer: guardNameRoute },
  { path: "/guard/unlock",  methods: ["POST"],        wantsKey: true,  name: "guard/unlock",  answer: guardUnlockRoute },
];
