/** The part of one of Obsidian's classes that ours stands in for: same members, same arguments, same results.
 * A method that returns its own object returns ours. */
export type Part<Whole, Names extends keyof Whole> = {
  [Name in Names]: Whole[Name] extends (...given: infer Given) => Whole ? (...given: Given) => unknown : Whole[Name];
};
