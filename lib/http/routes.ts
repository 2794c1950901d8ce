/**
 * The one table of routes. A path or method in no row gets 404 or 405.
 *
 * @module
 */

import { PAIR_ASPX, VALIDATE_ASPX } from "../bindings/aspx.ts";
import type { Binding } from "../bindings/binding.ts";
import { SEAL_FORM, SEAL_JSON } from "../bindings/seal.ts";
import { PAIR, SEAL, VALIDATE_PIN } from "../operations/operations.ts";
import { answerCall } from "./call.ts";
import { answerDescription, answerOpenApi, answerRoot } from "./document_routes.ts";
import { answerGuardName, answerGuardUnlock, answerStatus } from "./operator_endpoints.ts";
import type { HandlerOptions } from "./handler_options.ts";
import { answerQr } from "./qr.ts";
import { answerHealth, answerMetrics, answerReadiness } from "./probes.ts";
import type { HandlerParts, Route } from "./route.ts";

const hasMetrics = ({ metricsPage }: HandlerOptions): boolean => metricsPage !== undefined;
const hasSealKeys = ({ sealKeys }: HandlerOptions): boolean => sealKeys !== undefined;

const bindings = (parts: HandlerParts): readonly Binding[] => parts.bindings;

// A page of the original.
const PAGE = { methods: ["GET", "POST"], ignoresPathInfo: true } as const;

// deno-fmt-ignore
/** Routes of the service; for equal paths, the first row with the method answers. */
export const ROUTES: readonly Route[] = [
  { path: "/api.asmx",      methods: ["POST"],        name: "service",       bindings, answer: answerCall },
  { path: "/api.asmx",      methods: ["GET"],         name: "description",   answer: answerDescription },
  { path: "/api.asmx/*",    methods: ["GET", "POST"], name: "service",       bindings, answer: answerCall },
  { path: "/openapi.json",  methods: ["GET"],         name: "openapi",       answer: answerOpenApi },
  { path: "/pair.aspx",     ...PAGE,                  name: "pair.aspx",     operation: PAIR, bindings: () => [PAIR_ASPX], answer: answerCall },
  { path: "/validate.aspx", ...PAGE,                  name: "validate.aspx", operation: VALIDATE_PIN, bindings: () => [VALIDATE_ASPX], answer: answerCall },
  { path: "/seal",          methods: ["POST"],        name: "seal",          operation: SEAL, bindings: () => [SEAL_JSON, SEAL_FORM], answer: answerCall, isEnabled: hasSealKeys },
  { path: "/qr.aspx",       ...PAGE,                  name: "qr.aspx",       answer: answerQr },
  { path: "/",              methods: ["GET"],         name: "root",          answer: answerRoot },
  { path: "/healthz",       methods: ["GET"],         name: "healthz",       isOpen: true, answer: answerHealth },
  { path: "/readyz",        methods: ["GET"],         name: "readyz",        isOpen: true, answer: answerReadiness },
  { path: "/metrics",       methods: ["GET"],         name: "metrics",       answer: answerMetrics, isEnabled: hasMetrics },
];

// deno-fmt-ignore
/** Routes of the operator port. */
export const OPERATOR_ROUTES: readonly Route[] = [
  { path: "/healthz",       methods: ["GET"],         name: "healthz",       isOpen: true, answer: answerHealth },
  { path: "/readyz",        methods: ["GET"],         name: "readyz",        isOpen: true, answer: answerReadiness },
  { path: "/metrics",       methods: ["GET"],         name: "metrics",       isOpen: true, answer: answerMetrics, isEnabled: hasMetrics },
  { path: "/status",        methods: ["GET"],         name: "status",        isForOperators: true, answer: answerStatus },
  { path: "/guard/name",    methods: ["POST"],        name: "guard/name",    isForOperators: true, answer: answerGuardName },
  { path: "/guard/unlock",  methods: ["POST"],        name: "guard/unlock",  isForOperators: true, answer: answerGuardUnlock },
];
