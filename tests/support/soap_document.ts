/**
 * The document of exchanges that both versions of SOAP share, written out for each of them.
 *
 * @module
 */

interface Version {
  readonly version: string;
  readonly mediaType: string;
  readonly envelope: string;
}

const VERSIONS: ReadonlyMap<string, Version> = new Map<string, Version>([
  ["soap11.md", {
    version: "1.1",
    mediaType: "text/xml",
    envelope: "http://schemas.xmlsoap.org/soap/envelope/",
  }],
  ["soap12.md", {
    version: "1.2",
    mediaType: "application/soap+xml",
    envelope: "http://www.w3.org/2003/05/soap-envelope",
  }],
]);

/** The name of the document. */
export const SOAP_DOCUMENT = "soap.md";

/** The names of the files that it belongs to. */
export const SOAP_FILES: readonly string[] = [...VERSIONS.keys()];

/** Whether a file holds the rules of one version of SOAP. */
export function hasVersion(name: string): boolean {
  return VERSIONS.has(name);
}

/** What the document says for the version of a file: its sections, without its preface. */
export function soapSections(document: string, name: string): string {
  const [first, second] = [...VERSIONS.values()] as [Version, Version];
  const isFirst = VERSIONS.get(name) === first;
  const [own, other] = isFirst ? [first, second] : [second, first];
  return document.slice(document.indexOf("\n## ") + 1)
    .replace(
      /\{\{either ([^{}|]*)\|([^{}|]*)\}\}/g,
      (_, ofFirst: string, ofSecond: string) => isFirst ? ofFirst : ofSecond,
    )
    .replaceAll("{{version}}", own.version)
    .replaceAll("{{media-type}}", own.mediaType)
    .replaceAll("{{envelope}}", own.envelope)
    .replaceAll("{{other-envelope}}", other.envelope);
}
