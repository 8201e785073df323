// Notices, modals, menus and settings, with the class names and parts that Obsidian's have.
import type * as Obsidian from "obsidian";
import type { Part } from "./part";
import { Component } from "./events";

const ICONS: Record<string, string> = {
  search: "⌕",
  library: "▤",
  download: "↓",
  "file-archive": "▣",
  "refresh-cw": "↻",
  "chevron-left": "‹",
  "shield-check": "◈",
  "more-vertical": "⋮",
  x: "×",
};

export function setIcon(parent: HTMLElement, icon: string): void {
  parent.replaceChildren();
  const drawn = parent.createSpan({ cls: "svg-icon", text: ICONS[icon] ?? "•" });
  drawn.setAttr("aria-hidden", "true");
}

type NoticePart = "messageEl" | "setMessage" | "hide";

export class Notice implements Part<Obsidian.Notice, NoticePart> {
  readonly messageEl: HTMLElement;
  private readonly element: HTMLElement;

  constructor(message: string | DocumentFragment, duration = 4000) {
    const container = document.querySelector(".notice-container") ?? document.body.createDiv("notice-container");
    this.element = container.createDiv({ cls: "notice", attr: { role: "status" } });
    this.messageEl = this.element.createDiv("notice-message");
    this.setMessage(message);
    this.element.addEventListener("click", () => {
      this.hide();
    });
    if (duration > 0)
      setTimeout(() => {
        this.hide();
      }, duration);
  }

  setMessage(message: string | DocumentFragment): this {
    this.messageEl.setText(message);
    return this;
  }

  hide(): void {
    this.element.remove();
  }
}

type ModalPart = "app" | "containerEl" | "modalEl" | "titleEl" | "contentEl" | "open" | "close" | "setTitle";

export class Modal implements Part<Obsidian.Modal, ModalPart> {
  readonly containerEl = document.createElement("div");
  readonly modalEl: HTMLElement;
  readonly titleEl: HTMLElement;
  readonly contentEl: HTMLElement;
  private before: Element | null = null;
  private readonly keys = (event: KeyboardEvent): void => {
    if (event.key === "Escape") this.close();
  };

  constructor(readonly app: Obsidian.App) {
    this.containerEl.addClass("modal-container");
    this.containerEl.createDiv("modal-bg").addEventListener("click", () => {
      this.close();
    });
    this.modalEl = this.containerEl.createDiv({ cls: "modal", attr: { role: "dialog", "aria-modal": "true" } });
    const close = this.modalEl.createDiv({ cls: "modal-close-button", attr: { role: "button", tabindex: 0 } });
    close.setAttr("aria-label", "Close");
    close.addEventListener("click", () => {
      this.close();
    });
    const header = this.modalEl.createDiv("modal-header");
    this.titleEl = header.createDiv("modal-title");
    this.contentEl = this.modalEl.createDiv("modal-content");
  }

  setTitle(title: string): this {
    this.titleEl.setText(title);
    this.modalEl.setAttr("aria-label", title);
    return this;
  }

  open(): void {
    this.before = document.activeElement;
    document.body.appendChild(this.containerEl);
    document.addEventListener("keydown", this.keys);
    void this.onOpen();
  }

  close(): void {
    if (!this.containerEl.isConnected) return;
    document.removeEventListener("keydown", this.keys);
    this.containerEl.remove();
    this.onClose();
    if (this.before instanceof HTMLElement) this.before.focus();
  }

  onOpen(): Promise<void> | void {
    return;
  }

  onClose(): void {
    return;
  }
}

type MenuItemPart = "setTitle" | "setIcon" | "onClick" | "setSection";

export class MenuItem implements Part<Obsidian.MenuItem, MenuItemPart> {
  readonly element = document.createElement("div");

  constructor(private readonly menu: Menu) {
    this.element.addClass("menu-item");
    this.element.setAttr("role", "menuitem");
  }

  setTitle(title: string | DocumentFragment): this {
    this.element.setText(title);
    return this;
  }

  setIcon(): this {
    return this;
  }

  setSection(): this {
    return this;
  }

  onClick(callback: (event: MouseEvent | KeyboardEvent) => unknown): this {
    this.element.addEventListener("click", (event) => {
      this.menu.hide();
      callback(event);
    });
    return this;
  }
}

type MenuPart = "addItem" | "showAtMouseEvent" | "hide";

export class Menu extends Component implements Part<Obsidian.Menu, MenuPart> {
  private readonly element = document.createElement("div");

  addItem(fill: (item: Obsidian.MenuItem) => unknown): this {
    const item = new MenuItem(this);
    fill(item as unknown as Obsidian.MenuItem);
    this.element.appendChild(item.element);
    return this;
  }

  showAtMouseEvent(): this {
    this.element.addClass("menu");
    this.element.setAttr("role", "menu");
    document.body.appendChild(this.element);
    return this;
  }

  hide(): this {
    this.element.remove();
    return this;
  }
}
