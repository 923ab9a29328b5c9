import { isName, NAME_PATTERN, NAME_RULE } from "../domain/names.ts";
import type { MergeSpec, OutputSpec } from "../domain/request.ts";
import { Form } from "./form.ts";
import { shown } from "./notes.ts";
import { isReserved } from "./paths.ts";
import { readCommand } from "./read-command.ts";
import { type ReadSteps, refuseTwins } from "./read-steps.ts";
import type { Reading } from "./reading.ts";
import { didYouMean } from "./spelling.ts";
import { isRow, type Spot } from "./values.ts";

const MERGE_FORMS = "concat, none, or {run: ./merge.sh}";

export function readOutputs(top: Form, { steps, simulated }: ReadSteps, reading: Reading): readonly OutputSpec[] {
  const spot = top.spot("outputs");
  if (spot === null) {
    const last = steps.at(-1);
    if (simulated && last !== undefined) return [simulatorOutput(last.name, last.name)];
    reading.notes.warn("outputs", "none are declared: nothing will be merged or registered");
    return [];
  }
  const entries = top.list("outputs", 50);
  const outputs = entries.map((entry) => readOutput(entry, reading)).filter((output) => output !== null);
  const names = outputs.map((output) => output.name.toLowerCase());
  const files = outputs.map((output) => output.file);
  if (outputs.length === entries.length) {
    refuseTwins(names, (index) => `${entries[index]!.path}.name`, reading);
    refuseTwins(files, (index) => `${entries[index]!.path}.file`, reading);
  }
  if (entries.length > 0 && outputs.length > 0 && outputs.every((output) => !output.keep)) {
    reading.notes.warn(spot.path, "no output is kept: nothing will be registered");
  }
  return outputs;
}

/** What the simulator leaves behind for a step; its files are called after what it simulates. */
export const simulatorOutput = (step: string, profile: string): OutputSpec => ({
  name: step.toLowerCase(),
  file: `${profile.toLowerCase()}.out`,
  merge: { how: "concat" },
  keep: true,
});

function readOutput(spot: Spot, reading: Reading): OutputSpec | null {
  if (!isRow(spot.value)) {
    reading.notes.problem(spot.path, `must be an output (got ${shown(spot.value)})`, "{name, file, merge, keep}");
    return null;
  }
  const form = new Form(spot.value, spot.path, reading.notes);
  if (form.spot("name") === null) form.missing("name", NAME_RULE);
  if (form.spot("file") === null) form.missing("file", "the name of the file a job leaves");
  const name = form.text("name", "", NAME_PATTERN, NAME_RULE);
  const file = form.text("file", "", NAME_PATTERN, `the name of a file in the job's working directory: ${NAME_RULE}`);
  if (isName(file) && isReserved(file))
    form.notes.problem(form.pathOf("file"), `${file} is a file of WMS2 itself; choose another name`);
  const merge = readMerge(form.spot("merge"), reading);
  const keep = form.flag("keep", true);
  form.close();
  return { name, file, merge, keep };
}

function readMerge(spot: Spot | null, reading: Reading): MergeSpec {
  if (spot === null || spot.value === "concat") return { how: "concat" };
  if (spot.value === "none") return { how: "none" };
  if (isRow(spot.value)) {
    const form = new Form(spot.value, spot.path, reading.notes);
    const run = form.spot("run");
    if (run === null) form.missing("run", "a command that writes $WMS2_OUTPUT from $WMS2_INPUT_LIST");
    const argv = run === null ? [] : readCommand(run, reading);
    form.close();
    return { how: "command", argv };
  }
  const hint = typeof spot.value === "string" ? didYouMean(spot.value, ["concat", "none"]) : "";
  reading.notes.problem(spot.path, `${shown(spot.value)} is not a way to merge${hint}`, MERGE_FORMS);
  return { how: "concat" };
}
