import type { JSX } from "preact";

import { marked } from "../../ui/evidence";

/** Text with the words that matched marked. */
export function Marked(props: { text: string; terms: readonly string[] }): JSX.Element {
  return (
    <>
      {marked(props.text, props.terms).map((piece, number) =>
        piece.marked ? <mark key={number}>{piece.text}</mark> : <span key={number}>{piece.text}</span>,
      )}
    </>
  );
}
