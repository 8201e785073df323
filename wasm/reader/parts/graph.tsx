// The neighbours of a page as a small map. The lists beside it say the same, so hands and ears lose nothing.

import type { JSX } from "preact";

import type { Listed } from "../../runtime/messages";
import { pageTo } from "../route";
import { say } from "../say";

const WIDTH = 320;
const HEIGHT = 220;
const MOST = 10;
const LETTERS = 16;

interface Neighbour extends Listed {
  isSource: boolean;
  isTarget: boolean;
}

export function Graph(props: { title: string; linksTo: Listed[]; linkedFrom: Listed[] }): JSX.Element | null {
  const all = neighboursOf(props.linksTo, props.linkedFrom);
  if (!all.length) return null;
  const shown = all.slice(0, MOST);
  return (
    <figure class="graph" aria-label={say("page-map-label", { count: all.length })}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" focusable="false">
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto-start-reverse"
          >
            <path d="M0 0 8 4 0 8z" />
          </marker>
        </defs>
        {shown.map((each, number) => (
          <Spoke key={each.path} neighbour={each} {...placeOf(number, shown.length)} />
        ))}
        <circle class="here" cx={WIDTH / 2} cy={HEIGHT / 2} r="9" />
      </svg>
    </figure>
  );
}

function Spoke(props: { neighbour: Neighbour; x: number; y: number }): JSX.Element {
  const { neighbour, x, y } = props;
  const [centreX, centreY] = [WIDTH / 2, HEIGHT / 2];
  const length = Math.hypot(x - centreX, y - centreY);
  const at = (distance: number): [number, number] => [
    centreX + ((x - centreX) * distance) / length,
    centreY + ((y - centreY) * distance) / length,
  ];
  const [[x1, y1], [x2, y2]] = [at(13), at(length - 9)];
  return (
    <g>
      <line
        {...{ x1, y1, x2, y2 }}
        marker-end={neighbour.isTarget ? "url(#arrow)" : undefined}
        marker-start={neighbour.isSource ? "url(#arrow)" : undefined}
      />
      <a href={pageTo(neighbour.path)} tabindex={-1}>
        <title>{neighbour.title}</title>
        <circle cx={x} cy={y} r="6" />
        <text x={x} y={y < centreY ? y - 11 : y + 19} text-anchor="middle">
          {shortened(neighbour.title)}
        </text>
      </a>
    </g>
  );
}

function neighboursOf(linksTo: Listed[], linkedFrom: Listed[]): Neighbour[] {
  const found = new Map<string, Neighbour>();
  for (const each of linksTo) found.set(each.path, { ...each, isTarget: true, isSource: false });
  for (const each of linkedFrom) {
    found.set(each.path, { ...each, isTarget: found.has(each.path), isSource: true });
  }
  return [...found.values()].sort(
    (one, other) => Number(other.isSource && other.isTarget) - Number(one.isSource && one.isTarget),
  );
}

/** Places on an ellipse, those of one side apart in height so that their names do not collide. */
function placeOf(number: number, count: number): { x: number; y: number } {
  const angle = ((number + 0.5) / count) * 2 * Math.PI - Math.PI / 2;
  const isInner = count > 6 && number % 2 === 1;
  const reach = isInner ? 0.62 : 1;
  return {
    x: WIDTH / 2 + Math.cos(angle) * (WIDTH / 2 - 52) * reach,
    y: HEIGHT / 2 + Math.sin(angle) * (HEIGHT / 2 - 26) * reach,
  };
}

function shortened(title: string): string {
  const letters = [...title];
  return letters.length > LETTERS ? `${letters.slice(0, LETTERS - 1).join("")}…` : title;
}
