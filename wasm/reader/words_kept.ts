// A few short texts that outlast the page. Where the browser keeps none for this page, they last as long as the page does.

const spare = new Map<string, string>();

export function kept(key: string): string | null {
  try {
    return localStorage.getItem(key) ?? spare.get(key) ?? null;
  } catch {
    return spare.get(key) ?? null; // a person who blocks what sites store
  }
}

/** Null forgets it. */
export function keep(key: string, text: string | null): void {
  try {
    spare.delete(key);
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    if (text !== null) spare.set(key, text); // blocked, or full
  }
}

export function forgetAll(): void {
  spare.clear();
  try {
    localStorage.clear();
  } catch {
    return; // nothing was kept
  }
}
