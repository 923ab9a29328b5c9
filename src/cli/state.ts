import { resolve } from "node:path";
import type { StateLineView, StateView } from "../operations/frepp.ts";
import { type Answer, aRequest, command, group } from "./command.ts";
import { CHANGES } from "./fill.ts";
import { type Columns, color, table } from "./view/table.ts";
import { count } from "./view/text.ts";

const COLORS = {
  take: "green",
  write: "green",
  remove: "yellow",
  conflict: "red",
  "nothing-due": "dim",
  unknown: "yellow",
  keep: "dim",
} as const;
const said = (word: string | null): string => (word === null ? "–" : word === "" ? "(empty)" : word);

const LINES: Columns<StateLineView> = [
  ["file", ({ file }) => file],
  ["", ({ action }, { paint }) => color(action, COLORS, paint)],
  ["frepp", ({ theirs }) => said(theirs).slice(0, 24)],
  ["wms2", ({ ours }) => said(ours).slice(0, 24)],
  ["why", ({ reason }) => reason, "flexible"],
];

/** What changes and what does not and should; what is the same on both sides is only counted. */
function answerOf(answer: StateView, name: string, verb: "taken" | "written"): Answer {
  const { lines, others, moved, dry_run } = answer;
  const changed = lines.filter(({ action }) => ["take", "write", "remove"].includes(action)).length - moved.length;
  const conflicts = lines.filter(({ action }) => action === "conflict").length;
  const same = lines.filter(({ action }) => action === "same").length;
  const note = [
    `${name}: ${count(changed, "file")} ${dry_run ? `would be ${verb}` : verb}, ${same} the same, ${count(conflicts, "conflict")}`,
    ...(others.length > 0 ? [`left alone: ${others.slice(0, 5).join(", ")}${others.length > 5 ? " …" : ""}`] : []),
    ...(moved.length > 0 ? [`changed meanwhile, and left as it is: ${moved.slice(0, 5).join(", ")}; ask again`] : []),
    ...(dry_run && changed > 0 ? ["nothing was changed; add --yes"] : []),
  ].join("\n");
  const shown = lines.filter(({ action }) => action !== "same");
  return {
    json: answer,
    page: (look) => table(LINES, shown, look),
    note,
    ...((conflicts > 0 || moved.length > 0) && { exit: 3 }),
  };
}

const NAMES = {
  "<name>": aRequest("the request, of kind segments"),
  "<dir>": "frepp's state directory, state/postProcess",
};
const MORE = "Exit 3: there are conflicts, which are left as they are. See docs/guides/frepp.md.";

const importState = command("import", {
  about: "bring frepp's state files into a request; only a preview, unless --yes",
  arguments: NAMES,
  options: {
    "--repair": "what an empty file stands for is planned again, unless its outputs are there",
    "--theirs": "believe files that are newer than what WMS2 knows and say something else",
    ...CHANGES,
  },
  examples: ["wms2 state import cm5 ~/CM5/state/postProcess", "wms2 state import cm5 state/postProcess --repair --yes"],
  more: MORE,
  async run({ client, options }, name: string, dir: string) {
    const { repair = false, theirs = false, yes, dryRun } = options;
    const body = { name, directory: resolve(dir), repair, theirs, dry_run: !yes || dryRun === true };
    return answerOf(await client.frepp.importState(body), name, "taken");
  },
});

const exportState = command("export", {
  about: "write what a request knows as frepp's state files; only a preview, unless --yes",
  arguments: NAMES,
  options: { "--ours": "overwrite files that are newer than what WMS2 knows and say something else", ...CHANGES },
  examples: ["wms2 state export cm5 ~/CM5/state/postProcess", "wms2 state export cm5 state/postProcess --yes"],
  more: MORE,
  async run({ client, options }, name: string, dir: string) {
    const { ours = false, yes, dryRun } = options;
    const body = { name, directory: resolve(dir), ours, dry_run: !yes || dryRun === true };
    return answerOf(await client.frepp.exportState(body), name, "written");
  },
});

export const addState = group("state", "state files of frepp, in both directions", [importState, exportState]);
