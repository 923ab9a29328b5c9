import { createHash } from "node:crypto";
import { CMSRUN } from "../core/cms.ts";
import type { OutputSpec, RequestFile } from "../core/request.ts";
import type { IntakeRules } from "../core/submission.ts";
import { IN_JOB } from "../submit-dir/names.ts";
import { Form } from "./reading/form.ts";
import { shown } from "./reading/notes.ts";
import { TRAVEL_RULE, travelPath } from "./reading/paths.ts";
import { Spot } from "./reading/values.ts";

const HOW = "`wms2 submit FILE` attaches it when it lies beside FILE; others send it under attachments";
const MAX_FILES = 1000;

/** Files of ours in a job's working directory, which nothing of a request may replace. */
export const isReserved = (path: string): boolean =>
  path === "wms2" || path.startsWith("wms2/") || IN_JOB.includes(path);

/** The files that travel with the request. To be called when all commands were read: they say what is needed. */
export function readAttachments(top: Form, outputs: readonly OutputSpec[], rules: IntakeRules): readonly RequestFile[] {
  const { notes } = top;
  const { commands } = notes;
  const form = top.section("attachments");
  const files = new Map<string, RequestFile>();
  const programs = new Set(
    commands
      .map(({ argv }) => argv[0]!)
      .filter(isBeside)
      .map(travelPath),
  );
  const tables = new Set(notes.files.flatMap(({ use, file }) => (use === "table" ? [file] : [])));
  const names = Object.keys(form.row).filter((name) => !tables.has(travelPath(name) ?? "") || programs.has(name));
  if (names.length > MAX_FILES) notes.problem(form.path, `has ${names.length} files; at most ${MAX_FILES} are allowed`);
  for (const name of names.slice(0, MAX_FILES)) {
    const spot = new Spot(form.pathOf(name), form.row[name], notes);
    const travels = travelPath(name);
    if (travels === null) spot.problem("is not a name under which a file can travel", TRAVEL_RULE);
    else if (isReserved(travels)) spot.problem("is a name WMS2 keeps for itself");
    else if (files.has(travels)) spot.problem("is attached twice");
    else {
      const file = readFile(spot, travels, programs.has(travels), rules.maxFileBytes);
      if (file !== null) files.set(travels, file);
    }
  }
  const bytes = [...files.values()].reduce((sum, file) => sum + file.content.length, 0);
  if (bytes > rules.maxFilesBytes)
    notes.problem(form.path, `are too large together: ${bytes} bytes, at most ${rules.maxFilesBytes}`);
  refuseClashes(new Set(files.keys()), outputs, form);
  requireNamed(top, new Set(names.map(travelPath)));
  return [...files.values()];
}

const isBeside = (word: string): boolean => word.startsWith("./");

function readFile(spot: Spot, path: string, isProgram: boolean, maxBytes: number): RequestFile | null {
  const form = Form.at(spot, "a file", "{content_base64, executable, sha256}");
  if (form === null) return null;
  const executable = form.flag("executable", isProgram);
  const expected = form.text("sha256", "", /^[0-9a-f]{64}$/, "64 hexadecimal digits, lower case");
  const base64 = form.needed("content_base64");
  form.close();
  if (isProgram && !executable) spot.problem(`is run by this request but is not executable; chmod +x ${path}`);
  if (base64 === null) return null;
  const buffer = Buffer.from(typeof base64.value === "string" ? base64.value : "", "base64");
  if (base64.value !== buffer.toString("base64")) return base64.problem("is not base64");
  const content = new Uint8Array(buffer);
  if (content.length > maxBytes) spot.problem(`is too large: ${content.length} bytes, at most ${maxBytes}`);
  const sha256 = createHash("sha256").update(content).digest("hex");
  if (expected !== "" && expected !== sha256) form.problem("sha256", `does not fit the content, which has ${sha256}`);
  return { path, executable, sha256, content };
}

/** Nothing may be both a file and a directory, or both attached and an output. */
function refuseClashes(paths: ReadonlySet<string>, outputs: readonly OutputSpec[], form: Form): void {
  for (const path of paths) {
    const parts = path.split("/").slice(0, -1);
    const clash = parts.map((_, index) => parts.slice(0, index + 1).join("/")).find((parent) => paths.has(parent));
    if (clash !== undefined) form.problem(path, `cannot lie in ${clash}, which is a file`);
    if (outputs.some((output) => output.file === path))
      form.problem(path, "is also the file of an output; rename one of them");
  }
}

/** Every program that lies beside the request, and every file under `attach`, must have come along. */
function requireNamed(top: Form, attached: ReadonlySet<string | null>): void {
  const { notes } = top;
  const check = (path: string, word: string, needed: boolean): void => {
    const travels = travelPath(word);
    if (travels === null) notes.problem(path, `${shown(word)} cannot travel with the request`, TRAVEL_RULE);
    else if (isReserved(travels)) notes.problem(path, `${shown(word)} is a name WMS2 keeps for itself`);
    else if (attached.has(travels)) return;
    else if (needed) notes.problem(path, `${shown(word)} is not attached`, HOW);
    else notes.warn(path, `${shown(word)} is not attached: it exists only if an earlier step makes it`);
  };
  for (const { path, argv } of notes.commands) {
    if (isBeside(argv[0]!)) check(path, argv[0]!, true);
    // A configuration of CMS's software is read, not run, and no step makes it.
    const isNeeded = argv[0] === CMSRUN;
    for (const word of argv.slice(1)) if (isBeside(word) && travelPath(word) !== null) check(path, word, isNeeded);
  }
  for (const spot of top.list("attach", MAX_FILES)) {
    if (typeof spot.value === "string") check(spot.path, spot.value, true);
    else spot.mustBe("the path of a file");
  }
}
