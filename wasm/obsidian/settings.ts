// What a person chose, kept in the plugin's data.json; unknown keys of a newer version are kept.

export interface Settings {
  /** Ask the model too, when a question can use it. */
  byMeaning: boolean;
}

export const DEFAULTS: Settings = { byMeaning: true };

export function settingsFrom(data: unknown): Settings {
  const known = typeof data === "object" && data !== null ? (data as Partial<Settings>) : {};
  return { ...known, byMeaning: known.byMeaning ?? DEFAULTS.byMeaning };
}
