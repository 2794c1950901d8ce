/**
 * As much of a browser's page as its script needs where nothing is laid out: elements that are there
 * as soon as a selector names them.
 *
 * @module
 */

type Node = string | FakeElement;

/** Element with a text, children, and one element for each selector. */
export class FakeElement extends EventTarget {
  readonly #parts = new Map<string, FakeElement>();
  #nodes: readonly Node[] = [];
  readonly dataset: Record<string, string> = {};
  hidden = false;
  isConnected = true;
  value: string | number = "";

  constructor(readonly localName = "") {
    super();
  }

  get children(): readonly FakeElement[] {
    return this.#nodes.filter((node) => typeof node !== "string");
  }

  get textContent(): string {
    return this.#nodes.map((node) => typeof node === "string" ? node : node.textContent).join("");
  }

  set textContent(text: string) {
    this.replaceChildren(text);
  }

  append(...nodes: readonly Node[]): void {
    this.#nodes = [...this.#nodes, ...nodes];
  }

  replaceChildren(...nodes: readonly Node[]): void {
    for (const child of this.children) child.isConnected = false;
    this.#nodes = nodes;
  }

  querySelector(selector: string): FakeElement {
    const part = this.#parts.get(selector) ?? new FakeElement();
    this.#parts.set(selector, part);
    return part;
  }

  querySelectorAll(selector: string): readonly FakeElement[] {
    return [this.querySelector(selector)];
  }

  createElement(name: string): FakeElement {
    return new FakeElement(name);
  }

  focus(): void {}
}

/** Runs an act with other values of global names, the document of a page among them. */
export async function withGlobals(
  changes: Readonly<Record<string, unknown>>,
  act: () => Promise<void> | void,
): Promise<void> {
  const names = Object.keys(changes);
  const before = names.map((name) => Object.getOwnPropertyDescriptor(globalThis, name));
  for (const name of names) {
    Object.defineProperty(globalThis, name, { configurable: true, value: changes[name] });
  }
  try {
    await act();
  } finally {
    names.forEach((name, i) => {
      if (before[i] === undefined) delete (globalThis as Record<string, unknown>)[name];
      else Object.defineProperty(globalThis, name, before[i]);
    });
  }
}
