/**
 * Frame of every page: head, navigation, style, script, and the content security policy that
 * forbids all else.
 *
 * @module
 */

import project from "../../../deno.json" with { type: "json" };
import { type Content, type Markup, markup } from "../markup.ts";

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
  /** Heading, and title of the document unless that is another. */
  readonly heading: string;
  /** Title of the document. */
  readonly title?: string | undefined;
  /** Paragraph under the heading. */
  readonly lead: string;
  /** Elements under the paragraph. */
  readonly under?: Content;
  /** Id of the section to show, if any. */
  readonly current?: string | undefined;
  /** Links of the section list. */
  readonly sections: readonly (readonly [href: string, text: string])[];
  /** Main part. */
  readonly main: Content;
}

/** Writes a page. */
export function writePage(context: FrameContext, content: PageContent): string {
  const { heading, title = heading, lead, under, current, sections, main } = content;
  const { exampleBase } = context;
  const items = sections.map(([href, text]) => markup`<li><a href="${href}">${text}</a></li>`);
  // Style and script are files of their own, which the browser keeps.
  const page = markup`
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>${title === PRODUCT_NAME ? title : `${title} - ${PRODUCT_NAME}`}</title>
        <link rel="icon" href="${ICON}">
        <link rel="alternate" type="text/xml" href="?disco">
        <link rel="stylesheet" href="?style">
      </head>
      <body ${exampleBase !== undefined && markup`data-base="${exampleBase}"`}
        ${current !== undefined && markup`data-op="${current}"`}>
        <a class="skip" href="#main">Skip to content</a>
        <header class="band">
          <div class="wrap">
            <a class="brand" href="${servicePath(context)}">${MARK}${PRODUCT_NAME}</a>
            <div class="hero"><h1>${heading}</h1><p class="lead">${lead}</p>${under}</div>
          </div>
        </header>
        <div class="wrap layout">
          <nav aria-label="Sections"><ul>${items}</ul></nav>
          <main id="main" tabindex="-1">${main}</main>
        </div>
        ${footer(context)}
        <p id="announcement" class="unseen" role="status"></p>
        <script src="?script"></script>
      </body>
    </html>`;
  return `<!DOCTYPE html>\n${page.html}\n`;
}

function footer(context: FrameContext): Markup {
  const root = rootPath(context);
  const service = servicePath(context);
  return markup`
    <footer class="wrap">
      <span>${PRODUCT_NAME} ${project.version}, ${project.license} licence</span>
      <a href="${service}#settings">Server settings</a>
      <a href="${service}#wsdl">WSDL</a>
      <a href="${root}openapi.json">OpenAPI</a>
      <a href="${root}healthz">Health</a>
      <span>On the server: <code>authenticator --help</code></span>
    </footer>`;
}

// Logo: the three finder patterns of a QR code, with a check mark in the fourth corner.
const MARK = markup`
  <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="7" fill="#62d3a8"></rect>
    <path fill="none" stroke="#0c2a21" stroke-width="2.6"
      d="M6 6h7v7H6zM19 6h7v7h-7zM6 19h7v7H6zM18.5 22.7l3 3 5-6.2"></path>
  </svg>`;

const ICON = `data:image/svg+xml,${encodeURIComponent(MARK.html)}`;

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
