import { Component, type ComponentChildren, type JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { failureOf } from "../runtime/failure";
import type { Failure } from "../runtime/messages";
import { Failed } from "./failure";
import { DropZone } from "./parts/opener";
import { Header } from "./parts/header";
import { UpdateNotice } from "./parts/update_notice";
import { type Route, useRoute } from "./route";
import { say } from "./say";
import { BundleScreen } from "./screens/bundle";
import { Install } from "./screens/install";
import { Library } from "./screens/library";
import { Page } from "./screens/page";
import { Search } from "./screens/search";
import { Settings } from "./screens/settings";
import { useScrollMemory } from "./scroll";

export function App(): JSX.Element {
  const route = useRoute();
  const main = useRef<HTMLElement>(null);
  const place = placeOf(route);
  useScrollMemory();
  useTitle(route.at, place);
  useEffect(() => {
    // Who reads by ear is told of the new screen; who types in the field stays there.
    if (document.activeElement === document.body) main.current?.focus({ preventScroll: true });
  }, [place]);
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        {say("skip")}
      </a>
      <Header route={route} />
      <main id="main" ref={main} tabIndex={-1} class={`at-${route.at}`}>
        <UpdateNotice />
        <Boundary key={place}>
          <Screen route={route} />
        </Boundary>
      </main>
      <DropZone />
    </>
  );
}

/** A screen that can't be drawn is told in its place; every other one still opens. */
class Boundary extends Component<{ children: ComponentChildren }, { failure: Failure | null }> {
  override state = { failure: null };

  static override getDerivedStateFromError(error: unknown): { failure: Failure } {
    return { failure: { ...failureOf(error), code: "defect", hint: say("error-defect-hint") } };
  }

  override render(): ComponentChildren {
    const { failure } = this.state;
    return failure ? <Failed failure={failure} again={() => this.setState({ failure: null })} /> : this.props.children;
  }
}

function Screen(props: { route: Route }): JSX.Element {
  const { route } = props;
  switch (route.at) {
    case "library":
      return <Library />;
    case "search":
      return <Search question={route.question} />;
    case "page":
      return <Page path={route.path} anchor={route.anchor} lines={route.lines} />;
    case "bundle":
      return <BundleScreen id={route.id} />;
    case "install":
      return <Install url={route.url} />;
    case "settings":
      return <Settings />;
  }
}

function placeOf(route: Route): string {
  return route.at === "page" ? route.path : route.at === "bundle" ? route.id : route.at;
}

/** The heading of the screen is the title of the tab, once it is there. */
function useTitle(at: Route["at"], place: string): void {
  useEffect(() => {
    const tell = (): void => {
      const heading = document.querySelector("main h1")?.textContent?.trim();
      document.title = heading ? `${heading} · ${say("app")}` : say("app");
    };
    tell();
    const watcher = new MutationObserver(tell);
    const main = document.querySelector("main");
    if (main) watcher.observe(main, { childList: true, subtree: true });
    return () => watcher.disconnect();
  }, [at, place]);
}
