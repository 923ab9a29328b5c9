import { largest, roundUse } from "../../operations/round-use.ts";
import type { StepMetricsView } from "../../operations/workflows.ts";
import type { Look } from "../terminal.ts";
import { type Columns, table } from "./table.ts";
import { thousands, wrap } from "./text.ts";

type Round = StepMetricsView["rounds"][number];
type StepFigures = StepMetricsView["steps"][string];
interface Row {
  readonly round: string;
  readonly step: string;
  readonly figures: StepFigures;
  readonly requested: Round["requested"];
}

const mb = (value: number | null | undefined): string => (value == null ? "-" : thousands(value));
const percent = (share: number | null): string => (share === null ? "-" : `${Math.round(share * 100)} %`);
const seconds = (value: number | null): string => (value === null ? "-" : String(Number(value.toPrecision(3))));

const METRICS: Columns<Row> = [
  ["round", ({ round }) => round],
  ["step", ({ step }) => step],
  ["jobs", ({ figures }) => thousands(figures.samples), "right"],
  ["threads", ({ figures }) => String(figures.threads), "right"],
  ["cpu", ({ figures }) => percent(figures.cpu_efficiency), "right"],
  ["s/event", ({ figures }) => seconds(figures.wall_sec_per_event), "right"],
  ["used mb", ({ figures }) => mb(figures.rss_mb), "right"],
  ["p90", ({ figures }) => mb(figures.rss_mb_p90), "right"],
  ["max", ({ figures }) => mb(figures.rss_mb_max), "right"],
  ["asked mb", ({ requested }) => mb(requested?.memory_mb), "right"],
  ["by", ({ figures }) => figures.source ?? "-"],
];

/** Steps by round, what was asked for against what was used, and why each round asked for what it did. */
export function metricsPage(metrics: StepMetricsView, look: Look): string {
  const { steps, rounds } = metrics;
  const rowsOf = (round: string, of: StepMetricsView["steps"], requested: Round["requested"]) =>
    Object.entries(of).map(([step, figures]): Row => ({ round, step, figures, requested }));
  const rows = rounds.flatMap(({ round, steps, requested }) => rowsOf(String(round), steps, requested));
  const all = rounds.filter(({ jobs_sampled }) => jobs_sampled > 0).length > 1 ? rowsOf("all", steps, null) : [];
  const reasons = rounds.flatMap((round) => roundLines(round, look));
  return [table(METRICS, [...rows, ...all], look), ...sparklines(metrics), ...reasons].join("\n").trimStart();
}

/** From the second round on: how asked and used came together. */
function sparklines(metrics: StepMetricsView): readonly string[] {
  const uses = roundUse(metrics);
  if (uses.length < 2) return [];
  const drawn = (what: string, values: readonly (number | null)[], top: number) =>
    `  ${what.padEnd(REASON - 3)} ${values.map((value) => sign(value, top)).join("")}`.trimEnd();
  const pairs: readonly (readonly [string, readonly (number | null)[], readonly (number | null)[]])[] = [
    ["memory", uses.map(({ askedMb }) => askedMb), uses.map(({ usedMb }) => usedMb)],
    ["cores", uses.map(({ askedCores }) => askedCores), uses.map(({ busyCores }) => busyCores)],
  ];
  return pairs.flatMap(([what, asked, used]) => {
    const top = largest([...asked, ...used]) || 1;
    return ["", `${what} by round`, drawn("asked", asked, top), drawn("used", used, top)];
  });
}
const EIGHTHS = "▁▂▃▄▅▆▇█";
const sign = (value: number | null, top: number): string =>
  value === null ? " " : EIGHTHS[Math.min(7, Math.max(0, Math.ceil((value / top) * 8) - 1))]!;

function roundLines({ round, requested, killed_at_mb }: Round, { paint, width }: Look): readonly string[] {
  if (!requested) return [];
  const { cores, memory_mb, wall_minutes, disk_mb, events_per_job, why } = requested;
  const asked = [
    `${cores} cores`,
    `${thousands(memory_mb)} MB`,
    `${wall_minutes} minutes`,
    `${thousands(disk_mb)} MB of disk`,
    ...(events_per_job === null ? [] : [`${thousands(events_per_job)} events a job`]),
  ];
  const killed = killed_at_mb === null ? [] : [["killed", `jobs with ${thousands(killed_at_mb)} MB used more`]];
  return [
    "",
    ...wrap(
      `round ${round} asks for ${asked.join(", ")}${Object.keys(why).length > 0 ? "" : ", as the request says"}`,
      width,
    ),
    ...[...Object.entries(why), ...killed].flatMap(([what = "", text = ""]) =>
      wrap(text, width - REASON).map((line, at) => `  ${paint.dim((at === 0 ? what : "").padEnd(REASON - 3))} ${line}`),
    ),
  ];
}
const REASON = 10;

/** One line a step, for the page of the request. */
export const measuredLines = ({ steps, rounds }: StepMetricsView): readonly string[] => {
  const asked = rounds.at(-1)?.requested?.memory_mb;
  return Object.entries(steps).map(
    ([name, { rss_mb, cpu_efficiency, wall_sec_per_event, samples }]) =>
      `${name}: ${mb(rss_mb)} MB of ${mb(asked)} asked, CPU ${percent(cpu_efficiency)}, ${seconds(wall_sec_per_event)} s an event (${samples} jobs)`,
  );
};
