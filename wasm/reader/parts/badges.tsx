// The quiet lines: trust, freshness, signature, in the fixed vocabulary.

import type { JSX } from "preact";

import { freshnessText, signatureText, trustText } from "../../ui/words";
import { locale } from "../say";

export function Signed(props: { signature: string; signer: string }): JSX.Element {
  const signature =
    props.signature === "valid" ? ({ kind: "signed", name: props.signer } as const) : ({ kind: "unsigned" } as const);
  return <span class={`mark ${signature.kind}`}>{signatureText(signature, locale)}</span>;
}

export function Trust(props: { tier: string; isClaim: boolean }): JSX.Element {
  return <span class="mark">{trustText(props.tier, props.isClaim, locale)}</span>;
}

export function Fresh(props: { fresh: boolean; staleAfter?: string }): JSX.Element {
  return (
    <span class={props.fresh ? "mark" : "mark wary"}>{freshnessText(props.fresh, props.staleAfter ?? "", locale)}</span>
  );
}
