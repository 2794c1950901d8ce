/**
 * What the servers are asked, and what their replies hold.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { parseSealKeys, SealKeys } from "../lib/sealing/seal_keys.ts";
import { referenceHotp } from "../tests/support/reference_totp.ts";
import { SEAL_KEY_LINES } from "../tests/support/seal_keys.ts";
import type { LoadRequest } from "./load.ts";

const NAMESPACE = "http://authenticatorapi.com/";
const FORM = "application/x-www-form-urlencoded";
const SOAP_11 = ["http://schemas.xmlsoap.org/soap/envelope/", "text/xml; charset=utf-8"] as const;
const SOAP_12 = [
  "http://www.w3.org/2003/05/soap-envelope",
  "application/soap+xml; charset=utf-8",
] as const;

/** A kind of request. */
export interface Case {
  /** What the table calls it. */
  readonly name: string;
  /** Makes it for a secret, for now: pins are right for a while only. */
  readonly request: (secret: string) => LoadRequest;
  /** What every reply holds; "" where it has no body. */
  readonly holds: string;
  /** What the bare servers are asked instead, and what their replies hold. */
  readonly bare?: Pick<Case, "request" | "holds">;
  /** Whether the servers that others would write answer it. */
  readonly others: readonly string[];
}

const rightPin = (secret: string): string => referenceHotp(secret, Math.floor(Date.now() / 30_000));
function get(path: string, headers: Readonly<Record<string, string>> = {}): LoadRequest {
  return { method: "GET", path, headers };
}

function post(path: string, type: string, body: string): LoadRequest {
  return { method: "POST", path, headers: { "Content-Type": type }, body };
}

function soap(
  [envelope, type]: readonly [string, string],
  name: string,
  content: string,
): LoadRequest {
  const body = `<?xml version="1.0" encoding="utf-8"?>\n<soap:Envelope ` +
    `xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ` +
    `xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:soap="${envelope}">\n  <soap:Body>\n    ` +
    `<${name} xmlns="${NAMESPACE}">\n${content}    </${name}>\n  </soap:Body>\n</soap:Envelope>`;
  const request = post("/api.asmx", type, body);
  return { ...request, headers: { ...request.headers, SOAPAction: `"${NAMESPACE}${name}"` } };
}

function elements(values: Readonly<Record<string, string>>): string {
  return Object.entries(values).map(([name, value]) => `      <${name}>${value}</${name}>\n`).join(
    "",
  );
}

const rightCheck = (secretCode: string): Record<string, string> => ({
  pin: rightPin(secretCode),
  secretCode,
});
// Of a secret of its own: the guard remembers wrong pins, and then a right one takes all steps as well.
// That no step of the window has; once in some hundred thousand secrets one has it.
const wrongCheck = (secret: string): Record<string, string> => {
  const secretCode = `${secret}W`;
  const pin = String((Number(rightPin(secretCode)) + 1) % 1e6).padStart(6, "0");
  return { pin, secretCode };
};
const ring = new SealKeys(parseSealKeys(SEAL_KEY_LINES.join("\n")), randomBytes);

type Check = Readonly<Record<string, string>>;

// The same check, of a sealed secret; the bare servers are asked with the plain one.
function sealed(
  name: string,
  check: (secret: string) => Check,
  write: (check: Check) => LoadRequest,
  holds: string,
): Case {
  const seal = ({ pin, secretCode }: Check): Check => ({
    pin: pin!,
    secretCode: ring.seal(secretCode!),
  });
  return {
    name: `${name}, sealed`,
    request: (secret) => write(seal(check(secret))),
    holds,
    bare: { request: (secret) => write(check(secret)), holds },
    others: [],
  };
}
const names = (secretCode: string): Record<string, string> => ({
  appName: "Example Corp",
  appInfo: "jane.doe@example.com",
  secretCode,
});
const form = (values: Readonly<Record<string, string>>): string =>
  new URLSearchParams(values).toString();
const ALL = ["node-soap", "PHP", "SoapCore"];

/**
 * All kinds.
 *
 * @param url The base URL of the program, for the lengths of its documents.
 */
export async function casesOf(url: string): Promise<readonly Case[]> {
  const lengths = await lengthsOf(url);
  const document = (
    name: string,
    path: string,
    holds: string,
    answerers: readonly string[] = [],
  ): Case => ({
    name,
    request: () => get(path),
    holds,
    bare: { request: () => get(`/constant/${lengths.get(path)}`), holds: "x" },
    others: answerers,
  });
  const validate = "/api.asmx/ValidatePin";
  const byGet = (check: Check): LoadRequest => get(`${validate}?${form(check)}`);
  const bySoap = (check: Check): LoadRequest => soap(SOAP_11, "ValidatePin", elements(check));
  return [
    { name: "healthz", request: () => get("/healthz"), holds: "ok", others: ALL },
    {
      name: "ValidatePin GET, right",
      request: (secret) => get(`${validate}?${form(rightCheck(secret))}`),
      holds: "true",
      others: ALL,
    },
    sealed("ValidatePin GET, right", rightCheck, byGet, "true"),
    {
      name: "ValidatePin GET, wrong",
      request: (secret) => get(`${validate}?${form(wrongCheck(secret))}`),
      holds: "false",
      others: ALL,
    },
    sealed("ValidatePin GET, wrong", wrongCheck, byGet, "false"),
    {
      name: "ValidatePin POST",
      request: (secret) => post(validate, FORM, form(rightCheck(secret))),
      holds: "true",
      others: ALL,
    },
    {
      name: "ValidatePin JSON",
      request: (secret) => post(validate, "application/json", JSON.stringify(rightCheck(secret))),
      holds: "true",
      others: [],
    },
    {
      name: "ValidatePin SOAP 1.1",
      request: (secret) => soap(SOAP_11, "ValidatePin", elements(rightCheck(secret))),
      holds: "true",
      others: ALL,
    },
    sealed("ValidatePin SOAP 1.1", rightCheck, bySoap, "true"),
    {
      name: "ValidatePin SOAP 1.1, wrong",
      request: (secret) => soap(SOAP_11, "ValidatePin", elements(wrongCheck(secret))),
      holds: "false",
      others: [],
    },
    sealed("ValidatePin SOAP 1.1, wrong", wrongCheck, bySoap, "false"),
    {
      name: "ValidatePin SOAP 1.2",
      request: (secret) => soap(SOAP_12, "ValidatePin", elements(rightCheck(secret))),
      holds: "true",
      others: ALL,
    },
    {
      name: "Pair GET",
      request: (secret) => get(`/api.asmx/Pair?${form(names(secret))}`),
      holds: "svg",
      others: ["node-soap", "SoapCore"],
    },
    {
      name: "Pair SOAP 1.1",
      request: (secret) => soap(SOAP_11, "Pair", elements(names(secret))),
      holds: "svg",
      others: ["node-soap", "SoapCore"],
    },
    document("WSDL", "/api.asmx?wsdl", "definitions", ALL),
    {
      name: "WSDL, 304",
      request: () => get("/api.asmx?wsdl", { "If-None-Match": "*" }),
      holds: "",
      bare: { request: () => get("/nothing"), holds: "" },
      others: [],
    },
    document("disco", "/api.asmx?disco", "discovery"),
    document("service page", "/api.asmx", "html"),
    document("operation page", "/api.asmx?op=ValidatePin", "html"),
  ];
}

async function lengthsOf(url: string): Promise<ReadonlyMap<string, number>> {
  const paths = ["/api.asmx?wsdl", "/api.asmx?disco", "/api.asmx", "/api.asmx?op=ValidatePin"];
  const lengths = paths.map(async (path) =>
    [path, (await (await fetch(url + path)).text()).length] as const
  );
  return new Map(await Promise.all(lengths));
}

/** What a server is asked in a case; undefined when it does not know it. */
export function askedOf(one: Case, name: string): Pick<Case, "request" | "holds"> | undefined {
  if (name.startsWith("bare")) return one.bare ?? one;
  const isOurs = name.startsWith("Deno") || name.startsWith("executable");
  return isOurs || one.others.includes(name) ? one : undefined;
}
