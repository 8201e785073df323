// The neighbours of a page as a small map. The lists beside it say the same, so hands and ears lose nothing.

import type { JSX } from "preact";

import type { Listed } from "../../runtime/messages";
import { pageTo } from "../route";
import { say } from "../say";

const WIDTH = 340;
const ROW = 30;
const MOST_OF_A_SIDE = 8;
const LETTERS = 15;
const [LEFT, CENTRE, RIGHT] = [122, 170, 218];

interface Neighbour extends Listed {
  isSource: boolean;
  isTarget: boolean;
}

/** Who links here stands on the left, where this page leads on the right; arrows at both ends mean both. */
export function Graph(props: { linksTo: Listed[]; linkedFrom: Listed[] }): JSX.Element | null {
  const targets = new Set(props.linksTo.map((each) => each.path));
  const sources = new Set(props.linkedFrom.map((each) => each.path));
  const named = (each: Listed): Neighbour => ({
    ...each,
    isSource: sources.has(each.path),
    isTarget: targets.has(each.path),
  });
  const left = props.linkedFrom.map(named);
  const right = props.linksTo.map(named).filter((each) => !each.isSource);
  const rows = Math.min(MOST_OF_A_SIDE, Math.max(left.length, right.length));
  if (!rows) return null;
  const height = rows * ROW + 8;
  return (
    <figure class="graph" aria-label={say("page-map-label", { count: left.length + right.length })}>
      <svg viewBox={`0 0 ${WIDTH} ${height}`} aria-hidden="true" focusable="false">
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
        <Side neighbours={left} x={LEFT} height={height} />
        <Side neighbours={right} x={RIGHT} height={height} />
        <circle class="here" cx={CENTRE} cy={height / 2} r="8" />
      </svg>
    </figure>
  );
}

function Side(props: { neighbours: Neighbour[]; x: number; height: number }): JSX.Element {
  const { x, height } = props;
  const shown = props.neighbours.slice(0, MOST_OF_A_SIDE);
  const top = (height - shown.length * ROW) / 2 + ROW / 2;
  return (
    <>
      {shown.map((each, number) => (
        <Spoke key={each.path} neighbour={each} x={x} y={top + number * ROW} centreY={height / 2} />
      ))}
    </>
  );
}

function Spoke(props: { neighbour: Neighbour; x: number; y: number; centreY: number }): JSX.Element {
  const { neighbour, x, y, centreY } = props;
  const isLeft = x < CENTRE;
  const length = Math.hypot(x - CENTRE, y - centreY);
  const at = (distance: number): [number, number] => [
    CENTRE + ((x - CENTRE) * distance) / length,
    centreY + ((y - centreY) * distance) / length,
  ];
  const [[x1, y1], [x2, y2]] = [at(11), at(length - 8)];
  return (
    <g>
      <line
        {...{ x1, y1, x2, y2 }}
        marker-end={neighbour.isTarget ? "url(#arrow)" : undefined}
        marker-start={neighbour.isSource ? "url(#arrow)" : undefined}
      />
      <a href={pageTo(neighbour.path)} tabindex={-1}>
        <title>{neighbour.title}</title>
        <circle cx={x} cy={y} r="5" />
        <text x={isLeft ? x - 11 : x + 11} y={y + 4} text-anchor={isLeft ? "end" : "start"}>
          {shortened(neighbour.title)}
        </text>
      </a>
    </g>
  );
}

/** As much of a title as a side has room for; a Chinese character is as wide as two letters. */
function shortened(title: string): string {
  let room = LETTERS;
  let kept = "";
  for (const letter of title) {
    room -= letter > "\u2e7f" ? 2 : 1;
    if (room < 0) return `${kept.trimEnd()}…`;
    kept += letter;
  }
  return kept;
}
