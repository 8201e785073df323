// Rows of settings and their controls.
import type * as Obsidian from "obsidian";
import type { Part } from "./part";

type ButtonPart = "buttonEl" | "setButtonText" | "setCta" | "setWarning" | "setDisabled" | "onClick" | "setTooltip";

export class ButtonComponent implements Part<Obsidian.ButtonComponent, ButtonPart> {
  readonly buttonEl: HTMLButtonElement;

  constructor(parent: HTMLElement) {
    this.buttonEl = parent.createEl("button", { attr: { type: "button" } });
  }

  setButtonText(text: string): this {
    this.buttonEl.setText(text);
    return this;
  }

  setCta(): this {
    this.buttonEl.addClass("mod-cta");
    return this;
  }

  setWarning(): this {
    this.buttonEl.addClass("mod-warning");
    return this;
  }

  setDisabled(disabled: boolean): this {
    this.buttonEl.disabled = disabled;
    return this;
  }

  setTooltip(tooltip: string): this {
    this.buttonEl.setAttr("aria-label", tooltip);
    return this;
  }

  onClick(callback: (event: MouseEvent) => unknown): this {
    this.buttonEl.addEventListener("click", callback);
    return this;
  }
}

type TogglePart = "toggleEl" | "getValue" | "setValue" | "onChange" | "setDisabled";

export class ToggleComponent implements Part<Obsidian.ToggleComponent, TogglePart> {
  readonly toggleEl: HTMLElement;
  private readonly box: HTMLInputElement;
  private readonly callbacks: ((value: boolean) => unknown)[] = [];

  constructor(parent: HTMLElement) {
    this.toggleEl = parent.createEl("label", "checkbox-container");
    this.box = this.toggleEl.createEl("input", { type: "checkbox", attr: { role: "switch" } });
    this.box.addEventListener("change", () => {
      this.shown();
      for (const each of this.callbacks) each(this.box.checked);
    });
  }

  /** The name of its row is the name of the switch. */
  named(name: string): void {
    this.box.setAttr("aria-label", name);
  }

  getValue(): boolean {
    return this.box.checked;
  }

  setValue(on: boolean): this {
    this.box.checked = on;
    this.shown();
    return this;
  }

  setDisabled(disabled: boolean): this {
    this.box.disabled = disabled;
    return this;
  }

  onChange(callback: (value: boolean) => unknown): this {
    this.callbacks.push(callback);
    return this;
  }

  private shown(): void {
    this.toggleEl.toggleClass("is-enabled", this.box.checked);
  }
}

type SettingPart =
  | "settingEl"
  | "nameEl"
  | "descEl"
  | "controlEl"
  | "setName"
  | "setDesc"
  | "setHeading"
  | "setClass"
  | "addButton"
  | "addToggle";

export class Setting implements Part<Obsidian.Setting, SettingPart> {
  readonly settingEl: HTMLElement;
  readonly nameEl: HTMLElement;
  readonly descEl: HTMLElement;
  readonly controlEl: HTMLElement;

  constructor(container: HTMLElement) {
    this.settingEl = container.createDiv("setting-item");
    const info = this.settingEl.createDiv("setting-item-info");
    this.nameEl = info.createDiv("setting-item-name");
    this.descEl = info.createDiv("setting-item-description");
    this.controlEl = this.settingEl.createDiv("setting-item-control");
  }

  setName(name: string | DocumentFragment): this {
    this.nameEl.setText(name);
    return this;
  }

  setDesc(desc: string | DocumentFragment): this {
    this.descEl.setText(desc);
    return this;
  }

  setHeading(): this {
    this.settingEl.addClass("setting-item-heading");
    this.nameEl.setAttr("role", "heading");
    this.nameEl.setAttr("aria-level", "2");
    return this;
  }

  setClass(name: string): this {
    this.settingEl.addClass(name);
    return this;
  }

  addButton(fill: (button: Obsidian.ButtonComponent) => unknown): this {
    fill(new ButtonComponent(this.controlEl) as unknown as Obsidian.ButtonComponent);
    return this;
  }

  addToggle(fill: (toggle: Obsidian.ToggleComponent) => unknown): this {
    const toggle = new ToggleComponent(this.controlEl);
    toggle.named(this.nameEl.textContent ?? "");
    fill(toggle as unknown as Obsidian.ToggleComponent);
    return this;
  }
}

type TabPart = "app" | "containerEl" | "hide";

export class PluginSettingTab implements Pick<Obsidian.PluginSettingTab, TabPart> {
  readonly containerEl = document.createElement("div");

  constructor(
    readonly app: Obsidian.App,
    readonly plugin: Obsidian.Plugin,
  ) {
    this.containerEl.addClass("vertical-tab-content");
  }

  display(): void {
    return;
  }

  hide(): void {
    this.containerEl.empty();
  }
}
