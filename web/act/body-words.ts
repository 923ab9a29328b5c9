import { type ReleaseFieldName, releaseFields } from "../../src/core/release.ts";
import type { OperatorAction } from "../../src/recovery/round/actions.ts";
import { quoted } from "../words.ts";

/** What goes with an action, by its names on the wire. */
export type Body = Readonly<Record<string, unknown>>;

const listed = (value: unknown): string => [value].flat().join(", ");
const WORDS: Readonly<Record<ReleaseFieldName, (value: unknown) => string>> = {
  site_bans: (sites) => `leaves out ${listed(sites)} for a week`,
  excluded_files: (files) => `excludes ${listed(files)}`,
  memory_mb: (size) => `gives jobs ${Number(size).toLocaleString("en")} MB`,
  retries: (times) => `retries a job up to ${times} times`,
  hold_threshold: (share) => `holds it when ${Math.round(Number(share) * 100)} % of its units have failed`,
  top_up: (is) => (is ? "replaces events that are given up" : "does not replace events that are given up"),
};

/** What an action changes beside what its name says, as a sentence; null: nothing. */
export function changeText(body: Body): string | null {
  const words = releaseFields.flatMap(([name]) => (body[name] === undefined ? [] : [WORDS[name](body[name])]));
  return words.length === 0 ? null : `This also ${words.join(", and ")}.`;
}

interface Act {
  readonly action: OperatorAction;
  readonly body: Body;
  readonly reason: string;
}

/** The command that does the same; `target` as it is typed. */
export function cliLine({ action, body, reason }: Act, target: string): string {
  // A draft is submitted without a reason.
  const why = action === "submit" ? [] : ["--reason", quoted(reason || "…")];
  return ["wms2", action, target, ...optionsOf(body), ...why].join(" ");
}

const ONE_BY_ONE: readonly OperatorAction[] = ["submit", "resubmit"];

/** The same for many; null: a terminal does this only by name. */
export function cliForMany(act: Act, names: readonly string[] | undefined, filter: string): string | null {
  const words = names?.map(quoted);
  if (!ONE_BY_ONE.includes(act.action)) return cliLine(act, words?.join(" ") ?? filter);
  return words?.map((name) => cliLine(act, name)).join(" && ") ?? null;
}

const optionsOf = (body: Body): readonly string[] => [
  ...releaseFields.flatMap(([name, { flags, typed }]) => {
    const value = body[name];
    if (value === undefined) return [];
    const [flag = "", negative = ""] = Object.keys(flags).map((text) => text.split(" ", 1)[0]);
    if (typed === undefined) return [value ? flag : negative];
    const unit = typed === "megabytes" ? " MB" : "";
    return [value].flat().flatMap((one) => [flag, quoted(`${one}${unit}`)]);
  }),
  ...option("--how", body.how),
  ...(body.nodes === "failed" ? ["--failed"] : option("--nodes", body.nodes)),
  ...option("--units", body.units),
  ...(body.invalidate ? ["--invalidate"] : []),
  ...option("--cleanup-policy", body.cleanup_policy),
];

const option = (flag: string, value: unknown): readonly string[] =>
  value === undefined ? [] : [flag, ...[value].flat().map((one) => quoted(String(one)))];
