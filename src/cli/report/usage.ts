import { groupBy } from "../../core/base/group-by.ts";
import type { ResultView } from "../../operations/results.ts";
import { bytes, duration, thousands } from "../view/text.ts";
import { stemOf } from "./facts.ts";
import { shorten } from "./graph-drawing.ts";
import { at, type Html, html, when } from "./html.ts";

const MOST_GROUPS = 25;
/** A histogram from nothing to twice what was asked for; the last bin has whatever is above. */
const BINS = 16;
const TOP_SHARE = 2;
const BIN = { width: 9, height: 30 };

interface Use {
  readonly row: ResultView;
  readonly memory: number | null;
  readonly cpu: number | null;
}

/** What jobs used of what they asked for, by what they are called. Null: none was measured. */
export function usageTable(results: readonly ResultView[], cores: number): Html | null {
  const measured = results.filter(({ wall_sec }) => wall_sec !== null);
  if (measured.length === 0) return null;
  const groups = [...groupBy(measured, stemOf)].sort((a, b) => b[1].length - a[1].length);
  const rows = groups.slice(0, MOST_GROUPS).map(([stem, jobs]) => groupRow(stem, jobs, cores));
  const left = groups.length - rows.length;
  return html`<p class="dim">Of the last attempt of each job. Bars: how many jobs used which share of what they asked for, from 0 to 200 %; the dashed line is what they asked for. Names that differ in numbers stand together.</p>
<table><thead><tr><th>jobs</th><th class="n">number</th><th class="n">wall, median / most</th><th class="n">memory asked</th><th class="n">used, median / most</th><th>memory</th><th class="n">cores</th><th class="n">CPU</th><th>CPU of cores</th></tr></thead><tbody>${rows}</tbody></table>
${when(left > 0, () => html`<p class="dim">… and ${left} more groups of jobs</p>`)}`;
}

function groupRow(stem: string, jobs: readonly ResultView[], cores: number): Html {
  const uses = jobs.map((row): Use => {
    const { peak_memory_mb: used, memory_mb: asked, wall_sec: wall, cpu_sec: cpu } = row;
    const busy = cpu !== null && wall ? cpu / wall / (row.cores ?? cores) : null;
    return { row, memory: used !== null && asked ? used / asked : null, cpu: busy };
  });
  const walls = sorted(jobs.map(({ wall_sec }) => wall_sec));
  const used = sorted(jobs.map(({ peak_memory_mb }) => peak_memory_mb));
  const asked = sorted(jobs.map(({ memory_mb }) => memory_mb));
  const shares = sorted(uses.map(({ cpu }) => cpu));
  return html`<tr><td>${shorten(stem, 60)}</td><td class="n">${thousands(jobs.length)}</td><td class="n">${both(walls, duration)}</td><td class="n">${range(asked, mb)}</td><td class="n">${both(used, mb)}</td><td>${histogram(uses.map(({ memory }) => memory))}</td><td class="n">${range(sorted(jobs.map((row) => row.cores ?? cores)), String)}</td><td class="n">${shares.length > 0 ? `${Math.round(middle(shares) * 100)} %` : "-"}</td><td>${histogram(shares)}</td></tr>`;
}

const mb = (value: number): string => bytes(Math.round(value * 1e6));
const sorted = (values: readonly (number | null)[]): readonly number[] =>
  values.filter((value) => value !== null).sort((a, b) => a - b);
const middle = (values: readonly number[]): number => values[Math.floor((values.length - 1) / 2)] ?? 0;
const both = (values: readonly number[], tell: (value: number) => string): string =>
  values.length === 0 ? "-" : `${tell(middle(values))} / ${tell(values.at(-1)!)}`;
function range(values: readonly number[], tell: (value: number) => string): string {
  const [least, most] = [values[0], values.at(-1)];
  if (least === undefined || most === undefined) return "-";
  return least === most ? tell(least) : `${tell(least)} – ${tell(most)}`;
}

function histogram(shares: readonly (number | null)[]): Html {
  const bins = new Array<number>(BINS).fill(0);
  for (const share of shares)
    if (share !== null) bins[Math.min(BINS - 1, Math.max(0, Math.floor((share / TOP_SHARE) * BINS)))]! += 1;
  const most = Math.max(...bins);
  if (most === 0) return html`-`;
  const drawn = bins.flatMap((count, place) => {
    if (count === 0) return [];
    const height = Math.max(2, (count / most) * BIN.height);
    const over = place >= BINS / TOP_SHARE;
    return [
      html`<rect class="${over ? "used over" : "used"}" x="${place * BIN.width}" y="${at(BIN.height - height)}" width="${BIN.width - 1}" height="${at(height)}"><title>${count} jobs from ${percent(place)} to ${percent(place + 1)}</title></rect>`,
    ];
  });
  const [width, asked] = [BINS * BIN.width, (BINS / TOP_SHARE) * BIN.width - 0.5];
  return html`<svg width="${width}" height="${BIN.height}" viewBox="0 0 ${width} ${BIN.height}" role="img" aria-label="shares of what was asked for">${drawn}<line class="asked" x1="${asked}" y1="0" x2="${asked}" y2="${BIN.height}"/></svg>`;
}
const percent = (bin: number): string => `${Math.round((bin / BINS) * TOP_SHARE * 100)} %`;
