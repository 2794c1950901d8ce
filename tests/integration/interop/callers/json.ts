/** How public callers use the JSON form. */

import type { PairCall, Paired, PinCall } from "./caller.ts";

interface Answer {
  readonly status: number;
  readonly d: unknown;
}

async function post(
  url: string,
  operation: string,
  body: unknown,
  accept: string,
): Promise<Answer> {
  const response = await fetch(`${url}/api.asmx/${operation}`, {
    method: "POST",
    headers: { "Accept": accept, "Content-Type": "application/json;charset=UTF-8" },
    body: JSON.stringify(body),
  });
  const { d }: { readonly d: unknown } = await response.json();
  return { status: response.status, d };
}

const AXIOS = "application/json, text/plain, */*";

/** Row 2, NestJS: the Html, in which it looks for what has not been there since 2024. */
export async function pairPong(url: string, call: PairCall): Promise<Paired> {
  const { d } = await post(url, "Pair", call, AXIOS);
  const { Html: html } = d as { readonly Html: string };
  const picture = /chl=(.*?)["']/.exec(html)?.[1];
  return { html, ...(picture !== undefined && { picture }) };
}

/** Row 2, NestJS: a pattern, tried on a boolean. */
export async function validatePong(url: string, call: PinCall): Promise<boolean> {
  const { d } = await post(url, "ValidatePin", call, AXIOS);
  return /true/.test(String(d));
}

/** Row 3, Kotlin: a GET with a body, which its library sends as POST; and it accepts XML alone. */
export async function pairSoramitsu(url: string, call: PairCall): Promise<Paired> {
  const { d } = await post(url, "Pair", call, "text/xml");
  const { ManualSetupCode: setupCode, Html: html } = d as {
    readonly ManualSetupCode: string;
    readonly Html: string;
  };
  return { setupCode, html };
}

/** Row 3, Kotlin. */
export async function validateSoramitsu(url: string, call: PinCall): Promise<boolean> {
  const { d } = await post(url, "ValidatePin", call, "text/xml");
  if (typeof d !== "boolean") throw new Error(`Not a boolean: ${d}`);
  return d;
}
