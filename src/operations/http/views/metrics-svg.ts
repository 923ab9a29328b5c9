import { thousands } from "../../../core/base/text.ts";
import { largest, type RoundUse, roundUse } from "../../round-use.ts";
import type { StepMetricsView } from "../../workflows.ts";

const PLOT = { left: 80, width: 520, height: 160, gap: 70 };
const ROW = 18;
const COLORS = { asked: "#94a3b8", used: "#2563eb", most: "#b91c1c" };

interface Bars {
  readonly title: string;
  readonly asked: (use: RoundUse) => number | null;
  readonly used: (use: RoundUse) => number | null;
  readonly most: ((use: RoundUse) => number | null) | null;
  readonly tell: (value: number) => string;
}
const PLOTS: readonly Bars[] = [
  {
    title: "memory, MB: grey what a job asked for, blue what it used (median), red the most that one used",
    asked: ({ askedMb }) => askedMb,
    used: ({ usedMb }) => usedMb,
    most: ({ mostMb }) => mostMb,
    tell: thousands,
  },
  {
    title: "cores: grey what a job asked for, blue what it kept busy",
    asked: ({ askedCores }) => askedCores,
    used: ({ busyCores }) => busyCores,
    most: null,
    tell: (value) => value.toFixed(1),
  },
];

/** Asked against used, round by round, as bars and as a table; it needs no other file and no program to draw it. */
export function metricsSvg(name: string, metrics: StepMetricsView | null): string {
  const uses = metrics ? roundUse(metrics) : [];
  const table = 40 + PLOTS.length * (PLOT.height + PLOT.gap);
  const [width, height] = [PLOT.left + PLOT.width + 20, table + (uses.length + 2) * ROW];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    '<rect width="100%" height="100%" fill="white"/>',
    text(20, 24, `${name}: asked for and used, by round`, "bold"),
    ...PLOTS.flatMap((plot, at) => drawBars(plot, uses, 60 + at * (PLOT.height + PLOT.gap))),
    ...[HEAD, ...uses.map(cells)].flatMap((row, at) =>
      row.map((cell, x) => text(20 + x * 100, table + at * ROW, cell)),
    ),
    "</svg>",
    "",
  ].join("\n");
}

function drawBars({ title, asked, used, most, tell }: Bars, uses: readonly RoundUse[], top: number): string[] {
  const high = largest(uses.flatMap((use) => [asked(use), used(use), most?.(use) ?? null])) || 1;
  const bottom = top + 10 + PLOT.height;
  const y = (value: number) => Math.round(bottom - (value / high) * PLOT.height);
  const slot = PLOT.width / Math.max(uses.length, 1);
  const bar = (value: number | null, x: number, width: number, color: string) =>
    value === null
      ? []
      : [`<rect x="${x}" y="${y(value)}" width="${width}" height="${bottom - y(value)}" fill="${color}"/>`];
  return [
    text(20, top, title),
    text(20, y(high) + 10, tell(high)),
    `<line x1="${PLOT.left}" y1="${bottom}" x2="${PLOT.left + PLOT.width}" y2="${bottom}" stroke="#475569"/>`,
    ...uses.flatMap((use, at) => {
      const x = Math.round(PLOT.left + at * slot);
      const width = Math.max(1, Math.round(Math.min(slot, 90) * 0.4));
      const red = most?.(use) ?? null;
      return [
        ...bar(asked(use), x, width, COLORS.asked),
        ...bar(used(use), x + width, width, COLORS.used),
        ...(red === null ? [] : [line(x + width, x + 2 * width, y(red))]),
        text(x, bottom + 16, String(use.round)),
      ];
    }),
  ];
}

const HEAD = ["round", "asked MB", "used MB", "most MB", "asked/most", "cores"];
const cells = ({ round, askedMb, usedMb, mostMb, askedCores, busyCores }: RoundUse): readonly string[] => [
  String(round),
  ...[askedMb, usedMb, mostMb].map((value) => (value === null ? "-" : thousands(value))),
  askedMb !== null && mostMb ? (askedMb / mostMb).toFixed(2) : "-",
  `${busyCores?.toFixed(1) ?? "-"} of ${askedCores ?? "-"}`,
];

const line = (from: number, to: number, y: number): string =>
  `<line x1="${from}" y1="${y}" x2="${to}" y2="${y}" stroke="${COLORS.most}" stroke-width="2"/>`;
const text = (x: number, y: number, words: string, weight = "normal"): string =>
  `<text x="${x}" y="${y}" font-weight="${weight}">${escapeXml(words)}</text>`;
const escapeXml = (words: string): string =>
  words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
