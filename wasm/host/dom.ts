// What Obsidian adds to the elements of a page, as far as the plugin uses it.

type Classes = string | string[] | undefined;

const listed = (classes: Classes): string[] =>
  (Array.isArray(classes) ? classes : (classes ?? "").split(/\s+/)).filter(Boolean);

function furnish(element: HTMLElement, info: DomElementInfo): void {
  element.classList.add(...listed(info.cls));
  if (info.text !== undefined) element.setText(info.text);
  for (const [name, value] of Object.entries(info.attr ?? {})) element.setAttr(name, value);
  if (info.title !== undefined) element.title = info.title;
  for (const name of ["type", "value", "placeholder", "href"] as const) {
    const value = info[name];
    if (value !== undefined) element.setAttribute(name, value);
  }
}

function made<K extends keyof HTMLElementTagNameMap>(
  parent: Node | null,
  tag: K,
  info?: DomElementInfo | string,
  callback?: (element: HTMLElementTagNameMap[K]) => void,
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  furnish(element, typeof info === "string" ? { cls: info } : (info ?? {}));
  parent?.appendChild(element);
  callback?.(element);
  return element;
}

type NodePart = "empty" | "detach" | "appendText" | "createEl" | "createDiv" | "createSpan";

const nodes: Pick<Node, NodePart> = {
  empty(this: Node): void {
    while (this.lastChild) this.removeChild(this.lastChild);
  },
  detach(this: Node): void {
    this.parentNode?.removeChild(this);
  },
  appendText(this: Node, text: string): void {
    this.appendChild(document.createTextNode(text));
  },
  createEl<K extends keyof HTMLElementTagNameMap>(
    this: Node,
    tag: K,
    info?: DomElementInfo | string,
    callback?: (element: HTMLElementTagNameMap[K]) => void,
  ): HTMLElementTagNameMap[K] {
    return made(this, tag, info, callback);
  },
  createDiv(this: Node, info?: DomElementInfo | string, callback?: (element: HTMLDivElement) => void): HTMLDivElement {
    return made(this, "div", info, callback);
  },
  createSpan(
    this: Node,
    info?: DomElementInfo | string,
    callback?: (element: HTMLSpanElement) => void,
  ): HTMLSpanElement {
    return made(this, "span", info, callback);
  },
};

type ElementPart = "setText" | "addClass" | "removeClass" | "toggleClass" | "setAttr" | "setAttrs";

const elements: Pick<Element, ElementPart> = {
  setText(this: Element, text: string | DocumentFragment): void {
    if (typeof text === "string") this.textContent = text;
    else this.replaceChildren(text);
  },
  addClass(this: Element, ...classes: string[]): void {
    this.classList.add(...classes);
  },
  removeClass(this: Element, ...classes: string[]): void {
    this.classList.remove(...classes);
  },
  toggleClass(this: Element, classes: string | string[], value: boolean): void {
    for (const each of listed(classes)) this.classList.toggle(each, value);
  },
  setAttrs(this: Element, attributes: Record<string, string | number | boolean | null>): void {
    for (const [name, value] of Object.entries(attributes)) this.setAttr(name, value);
  },
  setAttr(this: Element, name: string, value: string | number | boolean | null): void {
    if (value === null) this.removeAttribute(name);
    else this.setAttribute(name, String(value));
  },
};

/** Give the page's elements what Obsidian gives them. */
export function extendElements(): void {
  Object.assign(Node.prototype, nodes);
  Object.assign(Element.prototype, elements);
  Object.assign(globalThis, {
    createEl: <K extends keyof HTMLElementTagNameMap>(tag: K, info?: DomElementInfo | string) => made(null, tag, info),
    createFragment: (callback?: (fragment: DocumentFragment) => void) => {
      const fragment = document.createDocumentFragment();
      callback?.(fragment);
      return fragment;
    },
    activeDocument: document,
    activeWindow: window,
  });
}
