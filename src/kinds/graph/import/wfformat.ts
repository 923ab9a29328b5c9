import { createHash } from "node:crypto";
import { Form } from "../../../intake/reading/form.ts";
import type { Notes } from "../../../intake/reading/notes.ts";
import { isRow, type Row } from "../../../intake/reading/values.ts";
import { plainName } from "./plain-name.ts";
import { escaped } from "./torc-texts.ts";
import { pathFinder, type Translation } from "./translation.ts";
import { readTasks, type WfTask } from "./wfformat-tasks.ts";

export const isWfFormat = (row: Row): boolean => Object.hasOwn(row, "schemaVersion") && isRow(row.workflow);

/** The program that stands for every task; it travels with the request. src/submit-dir/payload/replay/replay.sh. */
export const REPLAY = "replay.sh";
const SPEED = 100;
/** Of all files that a replay makes, together. */
const MAX_BYTES = 1e9;
const KEYS = { after: "parents", reads: "inputFiles", makes: "outputFiles", name: "id" };

/**
 * An instance of WfFormat has no programs and no data: it is replayed. Each task sleeps for a share of the time it took, reads
 * what other tasks made and makes its files, a share as large.
 */
export function translateWfFormat(row: Row, notes: Notes): Translation {
  const top = new Form(row, "", notes);
  const speed = top.within("replay", (form) => form.number("speed", { min: 0, above: 0, max: 1e6 }, SPEED));
  const tasks = readTasks(top);
  const places = new Map(tasks.map(({ path }, index) => [`jobs[${index}]`, path]));
  const scale = scaleOf(tasks, speed, notes);
  const makers = new Set(tasks.flatMap(({ outputs }) => outputs.map(({ id }) => id)));
  const longest = Math.max(0, ...tasks.map(({ seconds }) => seconds ?? 0)) / speed;
  const unknown = tasks.filter(({ seconds }) => seconds === null).length;
  if (unknown > 0)
    notes.warn("workflow.execution", `${unknown} of ${tasks.length} tasks have no runtime; they end at once`);
  notes.warn("", `a replay ${speed} times as fast: tasks sleep and make files (replay.speed)`);
  const { directory, attachments } = row;
  const document = {
    name: nameOf(top),
    kind: "graph",
    ...(typeof row.description === "string" && { description: row.description }),
    ...(directory !== undefined && { directory }),
    resources: { cores: 1, memory: "100 MB", time: `${Math.ceil((longest * 1.5 + 60) / 60)} min` },
    jobs: tasks.map((task) => jobOf(task, speed, scale, makers)),
    ...(attachments !== undefined && { attachments }),
  };
  return { document, from: `WfFormat ${String(row.schemaVersion).slice(0, 20)}`, pathOf: pathFinder(places, KEYS) };
}

function nameOf(top: Form): string {
  const written = top.needed("name")?.value;
  const name = plainName(String(written ?? ""));
  if (name !== written) top.warn("name", `the request is called ${name}`);
  return name;
}

/** By how much sizes are divided: by the speed, and by more where all files would be too much. */
function scaleOf(tasks: readonly WfTask[], speed: number, notes: Notes): number {
  const bytes = tasks.flatMap(({ outputs }) => outputs).reduce((sum, { bytes }) => sum + bytes, 0) / speed;
  if (bytes <= MAX_BYTES) return speed;
  const more = Math.ceil(bytes / MAX_BYTES);
  notes.warn("", `files are made ${more} times smaller still: a replay makes at most ${MAX_BYTES / 1e9} GB`);
  return speed * more;
}

function jobOf(task: WfTask, speed: number, scale: number, makers: ReadonlySet<string>): Row {
  const reads = task.inputs.filter((id) => makers.has(id)).map(pathOf);
  const makes = task.outputs.map(({ id, bytes }) => ({
    path: pathOf(id),
    bytes: Math.max(1, Math.round(bytes / scale)),
  }));
  const words = [...reads.map((path) => `in:${path}`), ...makes.map(({ path, bytes }) => `out:${bytes}:${path}`)];
  const seconds = ((task.seconds ?? 0) / speed).toFixed(3);
  return {
    name: escaped(task.id),
    run: [`./${REPLAY}`, seconds, ...words].map(escaped),
    ...(task.parents.length > 0 && { after: task.parents.map(escaped) }),
    ...(reads.length > 0 && { reads: reads.map(escaped) }),
    ...(makes.length > 0 && { makes: makes.map(({ path }) => escaped(path)) }),
    ...(task.priority !== 0 && { priority: task.priority }),
  };
}

/** A file of its own for each id, wherever the id says it was. */
function pathOf(id: string): string {
  const name = id.replaceAll(/[%/\\*?]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`).replace(/^\.+$/, "%2e");
  const short = Buffer.byteLength(name) <= 200 ? name : createHash("sha256").update(id).digest("hex");
  return `replay-files/${short}`;
}
