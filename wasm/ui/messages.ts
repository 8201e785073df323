/**
 * What the page and the plugin say, in English and Simplified Chinese, from one table of a surface.
 *
 * A message is a text with {names} in it, or a choice by number: `{one: "{count} page", other: "{count} pages"}`.
 */

export const LOCALES = ["en", "zh"] as const;
export type Locale = (typeof LOCALES)[number];

export type Message = string | { one: string; other: string };
export type Messages = Record<string, Message>;
export type Values = Record<string, string | number>;

/** Gives the text of a key in one language. Numbers are set as the reader's locale sets them. */
export type Say<Key extends string> = (key: Key, values?: Values) => string;

/** The first language of ours among those that a person prefers, else English. */
export function chosenLocale(preferred: readonly string[]): Locale {
  const known = preferred.map((tag) => tag.toLowerCase().split("-")[0]);
  return (known.find((tag) => LOCALES.some((each) => each === tag)) as Locale | undefined) ?? "en";
}

/** The texts of a surface in one language. `English` fixes the keys: the other table must have the same. */
export function sayer<English extends Messages>(
  tables: { en: English; zh: Record<keyof English, Message> },
  locale: Locale,
): Say<keyof English & string> {
  const plurals = new Intl.PluralRules(locale);
  const numbers = new Intl.NumberFormat(locale);
  return (key, values = {}) => {
    const message: Message = tables[locale][key];
    const text = typeof message === "string" ? message : message[pluralOf(plurals, values.count)];
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name];
      return value === undefined ? whole : typeof value === "number" ? numbers.format(value) : value;
    });
  };
}

function pluralOf(rules: Intl.PluralRules, count: string | number | undefined): "one" | "other" {
  return rules.select(Number(count ?? 0)) === "one" ? "one" : "other";
}
