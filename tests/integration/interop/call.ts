/** A call and what comes of it, whichever client sends it and whichever binding it takes. */

/** The namespace name that the server has by default. */
export const NAMESPACE = "http://authenticatorapi.com/";

/** The bindings of the contract. */
export type Binding = "SOAP 1.1" | "SOAP 1.2" | "HTTP GET" | "HTTP POST";

/** All bindings. */
export const BINDINGS: readonly Binding[] = ["SOAP 1.1", "SOAP 1.2", "HTTP GET", "HTTP POST"];

/** A call of an operation. */
export interface Call {
  readonly operation: "Pair" | "ValidatePin";
  readonly args: Readonly<Record<string, string>>;
}

/** The result of Pair. */
export interface PairingInfo {
  readonly ManualSetupCode: string;
  readonly Html: string;
}

/** What a client made of a reply. */
export type Outcome =
  | { readonly result: PairingInfo | boolean }
  | { readonly fault: { readonly code: string; readonly message: string } };
