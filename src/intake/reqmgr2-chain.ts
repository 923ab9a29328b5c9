import { SIMULATOR_STEPS } from "./read-steps.ts";
import type { Form } from "./reading/form.ts";
import { shown } from "./reading/notes.ts";
import { isRow, type Spot } from "./reading/values.ts";
import { CARRIED_IN_STEP, NAME_PARTS } from "./reqmgr2-fields.ts";

const STEP_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,49}$/;
const STEP_RULE = "a letter, then letters, digits, '-', '_'; at most 50 characters";
const MAX_STEPS = 10;

/** A StepN: its name, whether its output is kept, and its form for what only the first or all together can tell. */
export interface ChainStep {
  readonly name: string;
  readonly profile: string;
  readonly kept: boolean;
  readonly form: Form;
}

/** A value that may differ by step: from a map by steps at the top, from the step, or from the top for all. */
export function spotFor(top: Form, step: Pick<ChainStep, "name" | "form">, key: string): Spot | null {
  const all = top.spot(key);
  if (!isRow(all?.value)) return (step.form === top ? null : step.form.spot(key)) ?? all;
  if (Object.hasOwn(all.value, step.name)) return all.child(step.name, all.value[step.name]);
  return step.form.spot(key) ?? all.problem(`has no value for the step ${shown(step.name)}`);
}

export function readChainSteps(top: Form): readonly ChainStep[] {
  const length = top.integer("StepChain", { min: 1, max: MAX_STEPS }, null);
  top.needed("StepChain", "how many steps there are, from 1 to 10");
  const numbered = Object.keys(top.row).filter((key) => /^Step\d+$/.test(key));
  top.knows(...numbered);
  if (length === null) return [];
  for (const key of numbered) {
    if (Number(key.slice(4)) > length || key === "Step0")
      top.problem(key, `is not one of the ${length} steps that StepChain promises`);
  }
  const steps: ChainStep[] = [];
  for (let number = 1; number <= length; number++) {
    const key = `Step${number}`;
    if (!isRow(top.row[key]))
      top.problem(key, `must be a map: StepChain promises ${length} steps (got ${shown(top.row[key])})`);
    else steps.push(readStep(top.section(key), number, steps));
  }
  const last = steps.at(-1);
  if (last !== undefined && !last.kept) last.form.problem("KeepOutput", "the last step's output must be kept");
  return steps;
}

function readStep(form: Form, number: number, before: readonly ChainStep[]): ChainStep {
  const name = form.needed("StepName", STEP_RULE)?.text(STEP_NAME, STEP_RULE) ?? `Step${number}`;
  if (before.some((step) => step.name.toLowerCase() === name.toLowerCase()))
    form.problem("StepName", `${shown(name)} is used twice; names must differ`);
  if (number === 1) form.spot("InputStep")?.problem("the first step has no step before it");
  else {
    const input = form.needed("InputStep", "the StepName of an earlier step");
    const earlier = before.map((step) => step.name);
    if (input !== null && !earlier.includes(input.value as string))
      input.problem(`${shown(input.value)} is not an earlier step`, earlier.join(", "));
  }
  form.knows(...CARRIED_IN_STEP, ...NAME_PARTS);
  const like = simulatorProfile(name, number === 1 && form.spot("InputDataset") === null);
  const profile = unusedProfile(like, new Set(before.map((step) => step.profile)));
  return { name, profile, kept: form.flag("KeepOutput", true), form };
}

/** The simulator's files are called after its steps, so no two steps of a chain may be the same to it. */
function unusedProfile(like: string, used: ReadonlySet<string>): string {
  const order: readonly string[] = SIMULATOR_STEPS;
  const from = order.indexOf(like);
  const inOrder = [...order.slice(from), ...order.slice(0, from)];
  return inOrder.find((step) => !used.has(step)) ?? like;
}

/** Which of the simulator's steps behaves most like this one: by its name, else by its place. */
export function simulatorProfile(name: string, generates: boolean): string {
  const upper = name.toUpperCase();
  const words = upper.split(/[^A-Z]+/);
  const backwards = [...SIMULATOR_STEPS].reverse();
  const exact = backwards.find((step) => words.includes(step));
  return exact ?? backwards.find((step) => upper.includes(step)) ?? (generates ? "GEN" : "RECO");
}
