/** What this service leaves out of XML, read off a document by other means than the parser's. */

/** A feature of XML that this service leaves out. */
export type Feature = "doctype" | "version" | "encoding";

/**
 * The features of a document that are left out, apart from other encodings than UTF-8, which its bytes
 * show: a document type, and another version than 1.0.
 */
export function featuresOf(text: string): readonly Feature[] {
  const prolog = text.replace(/<!--[^]*?-->|<\?[^]*?\?>/g, "").trimStart();
  const features: (Feature | false)[] = [
    prolog.startsWith("<!DOCTYPE") && "doctype",
    (declared(text, "version") ?? "1.0") !== "1.0" && "version",
  ];
  return features.filter((feature) => feature !== false);
}

// The XML declaration of a document. White space is that of XML; \s matches more.
function declared(text: string, name: string): string | undefined {
  const declaration = /^<\?xml[ \t\r\n][^>]*>/.exec(text)?.[0].replace(/[ \t\r\n]+/g, " ") ?? "";
  return new RegExp(` ${name} ?= ?['"]([^'"]*)['"]`).exec(declaration)?.[1];
}
