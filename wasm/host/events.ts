// Obsidian's events and components: what is registered is undone when its owner unloads.
import type * as Obsidian from "obsidian";

type Callback = (...data: unknown[]) => unknown;

interface Ref extends Obsidian.EventRef {
  off(): void;
}

export class Events implements Pick<Obsidian.Events, "on" | "trigger" | "offref"> {
  private readonly callbacks = new Map<string, Set<Callback>>();

  on(name: string, callback: Callback): Obsidian.EventRef {
    const listening = this.callbacks.get(name) ?? new Set();
    this.callbacks.set(name, listening.add(callback));
    const ref: Ref = { off: () => listening.delete(callback) };
    return ref;
  }

  offref(ref: Obsidian.EventRef): void {
    (ref as Ref).off();
  }

  trigger(name: string, ...data: unknown[]): void {
    for (const callback of this.callbacks.get(name) ?? []) callback(...data);
  }

  /** How many listen, so that a test sees what an unloaded plugin left behind. */
  get listening(): number {
    return [...this.callbacks.values()].reduce((sum, each) => sum + each.size, 0);
  }
}

type Used =
  | "load"
  | "onload"
  | "unload"
  | "onunload"
  | "addChild"
  | "removeChild"
  | "register"
  | "registerEvent"
  | "registerInterval";

export class Component implements Pick<Obsidian.Component, Used> {
  private readonly undo: (() => unknown)[] = [];
  private loaded = false;

  load(): void | Promise<void> {
    this.loaded = true;
    return this.onload();
  }

  onload(): void | Promise<void> {
    return;
  }

  unload(): void {
    this.loaded = false;
    this.onunload();
    for (const each of this.undo.splice(0).reverse()) each();
  }

  onunload(): void {
    return;
  }

  addChild<T extends Obsidian.Component>(child: T): T {
    this.register(() => {
      child.unload();
    });
    if (this.loaded) child.load();
    return child;
  }

  removeChild<T extends Obsidian.Component>(child: T): T {
    child.unload();
    return child;
  }

  register(callback: () => unknown): void {
    this.undo.push(callback);
  }

  registerEvent(ref: Obsidian.EventRef): void {
    this.register(() => {
      (ref as Ref).off();
    });
  }

  registerDomEvent(
    target: EventTarget,
    type: string,
    callback: EventListener,
    options?: AddEventListenerOptions,
  ): void {
    target.addEventListener(type, callback, options);
    this.register(() => {
      target.removeEventListener(type, callback, options);
    });
  }

  registerInterval(id: number): number {
    this.register(() => {
      clearInterval(id);
    });
    return id;
  }
}
