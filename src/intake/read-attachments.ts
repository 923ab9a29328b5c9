import { createHash } from "node:crypto";
import type { OutputSpec, RequestFile } from "../domain/request.ts";
import { Form } from "./form.ts";
import { shown } from "./notes.ts";
import { isReserved, TRAVEL_RULE, travelPath } from "./paths.ts";
import type { Reading } from "./reading.ts";
import { isRow, type Spot } from "./values.ts";

const HOW = "`wms2 submit FILE` attaches it when it lies beside FILE; others send it under attachments";

/** The files that travel with the request. To be called when all commands were read: they say what is needed. */
export function readAttachments(top: Form, outputs: readonly OutputSpec[], reading: Reading): readonly RequestFile[] {
  const { notes, rules } = reading;
  const form = top.section("attachments");
  const files = new Map<string, RequestFile>();
  const programs = new Set(
    reading.commands
      .map(({ argv }) => argv[0]!)
      .filter(isBeside)
      .map(travelPath),
  );
  const names = Object.keys(form.row);
  if (names.length > 1000) notes.problem(form.path, `has ${names.length} files; at most 1000 are allowed`);
  for (const name of names.slice(0, 1000)) {
    const path = form.pathOf(name);
    const travels = travelPath(name);
    if (travels === null) notes.problem(path, "is not a name under which a file can travel", TRAVEL_RULE);
    else if (isReserved(travels)) notes.problem(path, "is a name WMS2 keeps for itself");
    else if (files.has(travels)) notes.problem(path, "is attached twice");
    else {
      const file = readFile({ path, value: form.row[name] }, travels, programs.has(travels), reading);
      if (file !== null) files.set(travels, file);
    }
  }
  const bytes = [...files.values()].reduce((sum, file) => sum + file.content.length, 0);
  if (bytes > rules.maxFilesBytes)
    notes.problem(form.path, `are too large together: ${bytes} bytes, at most ${rules.maxFilesBytes}`);
  refuseClashes([...files.keys()], outputs, form);
  requireNamed(top, new Set(names.map(travelPath)), reading);
  return [...files.values()];
}

const isBeside = (word: string): boolean => word.startsWith("./");

function readFile(spot: Spot, path: string, isProgram: boolean, reading: Reading): RequestFile | null {
  const { notes, rules } = reading;
  if (!isRow(spot.value)) {
    notes.problem(spot.path, `must be a file (got ${shown(spot.value)})`, "{content_base64, executable, sha256}");
    return null;
  }
  const form = new Form(spot.value, spot.path, notes);
  const executable = form.flag("executable", isProgram);
  const expected = form.text("sha256", "", /^[0-9a-f]{64}$/, "64 hexadecimal digits, lower case");
  const content = form.spot("content_base64");
  form.close();
  if (isProgram && !executable)
    notes.problem(spot.path, `is run by this request but is not executable; chmod +x ${path}`);
  if (content === null) {
    form.missing("content_base64");
    return null;
  }
  const buffer = Buffer.from(typeof content.value === "string" ? content.value : "", "base64");
  if (content.value !== buffer.toString("base64")) {
    notes.problem(content.path, "is not base64");
    return null;
  }
  const bytes = new Uint8Array(buffer);
  if (bytes.length > rules.maxFileBytes)
    notes.problem(spot.path, `is too large: ${bytes.length} bytes, at most ${rules.maxFileBytes}`);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  if (expected !== "" && expected !== sha256)
    notes.problem(form.pathOf("sha256"), `does not fit the content, which has ${sha256}`);
  return { path, executable, sha256, content: bytes };
}

/** Nothing may be both a file and a directory, or both attached and an output. */
function refuseClashes(paths: readonly string[], outputs: readonly OutputSpec[], form: Form): void {
  const all = new Set(paths);
  for (const path of paths) {
    const parents = path
      .split("/")
      .slice(0, -1)
      .map((_, index, parts) => parts.slice(0, index + 1).join("/"));
    const clash = parents.find((parent) => all.has(parent));
    if (clash !== undefined) form.notes.problem(form.pathOf(path), `cannot lie in ${clash}, which is a file`);
    if (outputs.some((output) => output.file === path))
      form.notes.problem(form.pathOf(path), "is also the file of an output; rename one of them");
  }
}

/** Every program that lies beside the request, and every file under `attach`, must have come along. */
function requireNamed(top: Form, attached: ReadonlySet<string | null>, reading: Reading): void {
  const { notes } = reading;
  const check = (path: string, word: string, needed: boolean): void => {
    const travels = travelPath(word);
    if (travels === null) notes.problem(path, `${shown(word)} cannot travel with the request`, TRAVEL_RULE);
    else if (isReserved(travels)) notes.problem(path, `${shown(word)} is a name WMS2 keeps for itself`);
    else if (!attached.has(travels) && needed) notes.problem(path, `${shown(word)} is not attached`, HOW);
    else if (!attached.has(travels))
      notes.warn(path, `${shown(word)} is not attached: it exists only if an earlier step makes it`);
  };
  for (const { path, argv } of reading.commands) {
    if (isBeside(argv[0]!)) check(path, argv[0]!, true);
    for (const word of argv.slice(1)) if (isBeside(word) && travelPath(word) !== null) check(path, word, false);
  }
  for (const { path, value } of top.list("attach", 1000)) {
    if (typeof value === "string") check(path, value, true);
    else notes.problem(path, `must be the path of a file (got ${shown(value)})`);
  }
}
