// What stays on every screen: the question field and the three places to go.

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { go, href, type Route } from "../route";
import { say } from "../say";
import { Icon } from "./icons";

export function Header(props: { route: Route }): JSX.Element {
  const { route } = props;
  return (
    <header class="top">
      <div class="bar">
        {route.at === "page" || route.at === "bundle" || route.at === "install" ? (
          <button type="button" class="icon-button" aria-label={say("back")} onClick={goBack}>
            <Icon name="back" />
          </button>
        ) : (
          <a class="brand" href={href({ at: "library" })} aria-label={say("app")}>
            <img src="./icon.svg" alt="" width="28" height="28" />
          </a>
        )}
        <Field route={route} />
        <nav class="places-nav" aria-label={say("main-navigation")}>
          <Tab to={{ at: "library" }} name="library" current={route.at} />
          <Tab
            to={{ at: "search", question: route.at === "search" ? route.question : "" }}
            name="search"
            current={route.at}
          />
          <Tab to={{ at: "settings" }} name="settings" current={route.at} />
        </nav>
      </div>
    </header>
  );
}

function Tab(props: { to: Route; name: "library" | "search" | "settings"; current: Route["at"] }): JSX.Element {
  const isCurrent = props.name === props.current;
  return (
    <a href={href(props.to)} aria-current={isCurrent ? "page" : undefined}>
      <Icon name={props.name} />
      <span>{say(props.name)}</span>
    </a>
  );
}

function Field(props: { route: Route }): JSX.Element {
  const { route } = props;
  const field = useRef<HTMLInputElement>(null);
  const question = route.at === "search" ? route.question : "";
  useFieldKeys(field);
  const ask = (text: string): void => go({ at: "search", question: text }, route.at === "search" ? "replace" : "push");
  return (
    <form
      role="search"
      class="field"
      onSubmit={(event) => {
        event.preventDefault();
        ask(field.current?.value ?? "");
        document.querySelector<HTMLElement>("main .place")?.focus();
      }}
    >
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        enterKeyHint="search"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxLength={1000}
        aria-label={say("search-label")}
        aria-keyshortcuts="/"
        placeholder={say("search-hint")}
        value={question}
        onInput={(event) => ask(event.currentTarget.value)}
      />
    </form>
  );
}

/** `/` goes to the field, arrows move among the places below it, Esc goes back. */
function useFieldKeys(field: { current: HTMLInputElement | null }): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      const inField = event.target === field.current;
      const typing = !inField && (event.target as Element).matches("input, select, textarea");
      if (typing) return;
      if (event.key === "/" && !inField) {
        event.preventDefault();
        field.current?.focus();
        field.current?.select();
      } else if (event.key === "Escape") escape(inField, field.current);
      else if (event.key === "ArrowDown" || event.key === "ArrowUp") moveAmongPlaces(event, field.current);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

function escape(inField: boolean, field: HTMLInputElement | null): void {
  if (inField && field?.value) {
    go({ at: "search", question: "" }, "replace");
  } else if (/^#\/(page|bundle|install)/.test(location.hash)) goBack();
}

function goBack(): void {
  if (history.length > 1) history.back();
  else go({ at: "library" });
}

function moveAmongPlaces(event: KeyboardEvent, field: HTMLInputElement | null): void {
  const places = [...document.querySelectorAll<HTMLElement>("main .place")];
  const current = places.indexOf(document.activeElement as HTMLElement);
  if (current < 0 && event.target !== field) return;
  const next = current + (event.key === "ArrowDown" ? 1 : -1);
  event.preventDefault();
  const target = next < 0 ? field : places[next];
  target?.focus();
  target?.closest(".card, li")?.scrollIntoView({ block: "nearest" });
}
