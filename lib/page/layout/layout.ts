/**
 * Frame of every page: head, navigation, style, script, and the content security policy that
 * forbids all else.
 *
 * @module
 */

import project from "../../../deno.json" with { type: "json" };
import { element, type MarkupElement, writeHtmlFragment, writeHtmlPage } from "../../xml/writer.ts";
import { link } from "./components.ts";

/** Name of the product. */
export const PRODUCT_NAME = "Authenticator";

/** Facts for the frame. */
export interface FrameContext {
  /** Path of the request, undecoded. */
  readonly path: string;
  /** Example base URL in the texts, which the script replaces by the address of the page. */
  readonly exampleBase: string | undefined;
}

/** Content of a page. */
export interface PageContent {
  /** Title of the document. */
  readonly title: string;
  /** Heading. */
  readonly heading: string;
  /** Paragraph under the heading. */
  readonly lead: string;
  /** Elements under the paragraph. */
  readonly under?: readonly MarkupElement[];
  /** Id of the section to show, if any. */
  readonly current?: string | undefined;
  /** Links of the section list. */
  readonly sections: readonly (readonly [href: string, text: string])[];
  /** Main part. */
  readonly main: readonly MarkupElement[];
}

/** Writes a page. */
export function writePage(context: FrameContext, content: PageContent): string {
  const { title, heading, lead, under = [], current, sections, main } = content;
  const { exampleBase } = context;
  const hero = [element("h1", {}, heading), element("p", { class: "lead" }, lead), ...under];
  const band = element(
    "header",
    { class: "band" },
    element(
      "div",
      { class: "wrap" },
      element("a", { class: "brand", href: servicePath(context) }, MARK, PRODUCT_NAME),
      element("div", { class: "hero" }, ...hero),
    ),
  );
  const body = element(
    "body",
    {
      ...(exampleBase === undefined ? {} : { "data-base": exampleBase }),
      ...(current === undefined ? {} : { "data-op": current }),
    },
    element("a", { class: "skip", href: "#main" }, "Skip to content"),
    band,
    element(
      "div",
      { class: "wrap layout" },
      sectionList(sections),
      element("main", { id: "main", tabindex: "-1" }, ...main),
    ),
    footer(context),
    element("p", { id: "announcement", class: "unseen", role: "status" }),
    // A separate file is kept by the browser.
    element("script", { src: "?script" }),
  );
  return writeHtmlPage(element("html", { lang: "en" }, headOf(title), body));
}

function headOf(title: string): MarkupElement {
  return element(
    "head",
    {},
    element("meta", { charset: "utf-8" }),
    element("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
    element("title", {}, title === PRODUCT_NAME ? title : `${title} - ${PRODUCT_NAME}`),
    element("link", { rel: "icon", href: ICON }),
    element("link", { rel: "alternate", type: "text/xml", href: "?disco" }),
    // A separate file too; inline it would make the page a fifth larger.
    element("link", { rel: "stylesheet", href: "?style" }),
  );
}

function sectionList(sections: readonly (readonly [string, string])[]): MarkupElement {
  return element(
    "nav",
    { "aria-label": "Sections" },
    element("ul", {}, ...sections.map(([href, text]) => element("li", {}, link(href, text)))),
  );
}

function footer(context: FrameContext): MarkupElement {
  const root = rootPath(context);
  const service = servicePath(context);
  return element(
    "footer",
    { class: "wrap" },
    element("span", {}, `${PRODUCT_NAME} ${project.version}, ${project.license} licence`),
    link(`${service}#settings`, "Server settings"),
    link(`${service}#wsdl`, "WSDL"),
    link(`${root}openapi.json`, "OpenAPI"),
    link(`${root}healthz`, "Health"),
    element("span", {}, "On the server: ", element("code", {}, "authenticator --help")),
  );
}

// Logo: the three finder patterns of a QR code, with a check mark in the fourth corner.
const MARK = element(
  "svg",
  { "xmlns": "http://www.w3.org/2000/svg", "viewBox": "0 0 32 32", "aria-hidden": "true" },
  element("rect", { width: "32", height: "32", rx: "7", fill: "#62d3a8" }),
  element("path", {
    "fill": "none",
    "stroke": "#0c2a21",
    "stroke-width": "2.6",
    "d": "M6 6h7v7H6zM19 6h7v7h-7zM6 19h7v7H6zM18.5 22.7l3 3 5-6.2",
  }),
);

const ICON = `data:image/svg+xml,${encodeURIComponent(writeHtmlFragment(MARK))}`;

/**
 * Returns the address of the service relative to the page, so that it is right behind a proxy that
 * adds a path prefix.
 */
export function servicePath(context: FrameContext): string {
  return `${rootPath(context)}api.asmx`;
}

/** Returns the path from the page to the root of the service. */
export function rootPath({ path }: FrameContext): string {
  return path.endsWith("/") ? "../" : "";
}

/**
 * Content security policy of every page (CSP Level 3): style and script of this server, requests to
 * it, and no frame around the page, against clickjacking.
 */
export const CONTENT_SECURITY_POLICY: string = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  // Icon.
  "img-src data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");
