import { isName, NAME_PATTERN, NAME_RULE } from "../core/names.ts";
import type { MergeSpec, OutputSpec } from "../core/request.ts";
import { isReserved } from "./read-attachments.ts";
import type { ReadSteps } from "./read-steps.ts";
import { Form } from "./reading/form.ts";
import { readCommand } from "./reading/read-command.ts";
import { isRow, refuseTwins, type Spot } from "./reading/values.ts";

export function readOutputs(top: Form, { steps, simulated }: ReadSteps): readonly OutputSpec[] {
  const spot = top.spot("outputs");
  if (spot === null) {
    const last = steps.at(-1);
    if (simulated && last !== undefined) return [simulatorOutput(last.name, last.name)];
    top.warn("outputs", "none are declared: nothing will be merged or registered");
    return [];
  }
  const entries = spot.list(50);
  const outputs = entries.map(readOutput).filter((output) => output !== null);
  if (outputs.length === entries.length) {
    refuseTwins(outputs.map(({ name }, index) => entries[index]!.child("name", name.toLowerCase())));
    refuseTwins(outputs.map(({ file }, index) => entries[index]!.child("file", file)));
  }
  if (outputs.length > 0 && outputs.every((output) => !output.keep))
    top.notes.warn(spot.path, "no output is kept: nothing will be registered");
  return outputs;
}

/** What the simulator leaves behind for a step; its files are called after what it simulates. */
export const simulatorOutput = (step: string, profile: string): OutputSpec => ({
  name: step.toLowerCase(),
  file: `${profile.toLowerCase()}.out`,
  merge: { how: "concat" },
  keep: true,
});

function readOutput(spot: Spot): OutputSpec | null {
  const form = Form.at(spot, "an output", "{name, file, merge, keep}");
  if (form === null) return null;
  form.needed("name", NAME_RULE);
  form.needed("file", "the name of the file a job leaves");
  const name = form.text("name", "", NAME_PATTERN, NAME_RULE);
  const file = form.text("file", "", NAME_PATTERN, `the name of a file in the job's working directory: ${NAME_RULE}`);
  if (isName(file) && isReserved(file)) form.problem("file", `${file} is a file of WMS2 itself; choose another name`);
  const merge = readMerge(form.spot("merge"));
  const keep = form.flag("keep", true);
  form.close();
  return { name, file, merge, keep };
}

function readMerge(spot: Spot | null): MergeSpec {
  if (spot === null || spot.value === "concat") return { how: "concat" };
  if (spot.value === "none") return { how: "none" };
  if (isRow(spot.value)) {
    const form = new Form(spot.value, spot.path, spot.notes);
    const run = form.needed("run", "a command that writes $WMS2_OUTPUT from $WMS2_INPUT_LIST");
    const argv = readCommand(run);
    form.close();
    return { how: "command", argv };
  }
  spot.unknown("is not a way to merge", ["concat", "none"], "concat, none, or {run: ./merge.sh}");
  return { how: "concat" };
}
