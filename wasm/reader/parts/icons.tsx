import type { JSX } from "preact";

const PATHS = {
  library: "M5 4v16M10 4v16M14.5 4.6l4.8 14.9M3 20h9",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14ZM16.2 16.2 21 21",
  settings:
    "M4 7h9m5 0h2M4 17h2m5 0h9M15.5 4.8a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4ZM8.5 14.8a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4Z",
  back: "M19 12H5m6-7-7 7 7 7",
  clear: "M6 6l12 12M18 6 6 18",
};

export function Icon(props: { name: keyof typeof PATHS }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[props.name]} />
    </svg>
  );
}
