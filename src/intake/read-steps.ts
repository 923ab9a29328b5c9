import { stringify } from "../base/json.ts";
import { isName, NAME_RULE } from "../domain/names.ts";
import type { StepSpec } from "../domain/request.ts";
import { Form } from "./form.ts";
import { shown } from "./notes.ts";
import { readCommand } from "./read-command.ts";
import type { Reading } from "./reading.ts";
import { didYouMean } from "./spelling.ts";
import { isRow, type Spot } from "./values.ts";

const MAX_STEPS = 50;
export const SIMULATOR_STEPS = ["GEN", "SIM", "DIGI", "RECO", "MINI", "NANO"] as const;
const DEFAULT_CHAIN = { generate: ["GEN", "SIM", "DIGI", "RECO", "MINI"], process: ["RECO", "MINI"] } as const;

/** The steps of a job, and whether they are the simulator's (which has outputs of its own accord). */
export interface ReadSteps {
  readonly steps: readonly StepSpec[];
  readonly simulated: boolean;
}

export function readSteps(top: Form, kind: "process" | "generate", reading: Reading): ReadSteps {
  const payload = top.spot("payload");
  const steps = top.spot("steps");
  const chain = top.spot("chain");
  const simulate = top.spot("simulate");
  if (payload === null) {
    for (const stray of [chain, simulate]) {
      if (stray !== null) reading.notes.problem(stray.path, "belongs to the simulator; add payload: simulator");
    }
    if (steps === null && chain === null && simulate === null) {
      top.missing("steps", "steps: [{name, run}], or payload: simulator");
    }
    return { steps: readStepList(top, reading), simulated: false };
  }
  if (payload.value !== "simulator") {
    const hint = typeof payload.value === "string" ? didYouMean(payload.value, ["simulator"]) : "";
    reading.notes.problem(
      payload.path,
      `${shown(payload.value)} is not a known payload${hint}`,
      "simulator, or steps of your own",
    );
  }
  if (steps !== null) reading.notes.problem(steps.path, "cannot be given together with payload; keep one of them");
  const names = chain === null ? DEFAULT_CHAIN[kind] : readChain(top, reading);
  return {
    steps: simulatorSteps(
      names.map((name) => [name, name]),
      simulate,
      reading,
    ),
    simulated: true,
  };
}

function readStepList(top: Form, reading: Reading): readonly StepSpec[] {
  const entries = top.list("steps", MAX_STEPS);
  const given = top.spot("steps");
  if (given !== null && Array.isArray(given.value) && given.value.length === 0) {
    reading.notes.problem(given.path, "names no step; at least one is needed");
  }
  const steps = entries.map((entry, index) => readStep(entry, index, reading));
  refuseTwins(
    steps.map((step) => step.name),
    (index) => `${entries[index]!.path}.name`,
    reading,
  );
  return steps;
}

function readStep(spot: Spot, index: number, reading: Reading): StepSpec {
  const fallback = `step${index + 1}`;
  if (typeof spot.value === "string") return { name: fallback, argv: readCommand(spot, reading), env: {} };
  if (!isRow(spot.value)) {
    reading.notes.problem(spot.path, `must be a step (got ${shown(spot.value)})`, "{name, run, env}");
    return { name: fallback, argv: [], env: {} };
  }
  const form = new Form(spot.value, spot.path, reading.notes);
  const name = form.text("name", fallback, STEP_NAME, `${NAME_RULE}; here at most 50`);
  const run = form.spot("run");
  if (run === null) form.missing("run", '"./program word word" or [program, word, …]');
  const argv = run === null ? [] : readCommand(run, reading);
  const env = readEnv(form.section("env"));
  form.close();
  return { name, argv, env };
}

/** Step names become file names beside the outputs. */
export const STEP_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,49}$/;

function readEnv(form: Form): Readonly<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const key of Object.keys(form.row)) {
    const spot = form.spot(key);
    const path = form.pathOf(key);
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,199}$/.test(key))
      form.notes.problem(path, "is not a name for a variable", "letters, digits and '_', no digit first");
    else if (key.startsWith("WMS2_")) form.notes.problem(path, "is reserved: WMS2_… variables are set by WMS2");
    else if (spot === null) env[key] = "";
    else if (typeof spot.value === "object") form.notes.problem(path, `must be text (got ${shown(spot.value)})`);
    else if (String(spot.value).length > 10_000) form.notes.problem(path, "is too long: at most 10000 characters");
    else env[key] = String(spot.value);
  }
  return env;
}

export function refuseTwins(names: readonly string[], pathOf: (index: number) => string, reading: Reading): void {
  names.forEach((name, index) => {
    if (names.indexOf(name) < index)
      reading.notes.problem(pathOf(index), `${shown(name)} is used twice; names must differ`);
  });
}

function readChain(top: Form, reading: Reading): readonly string[] {
  const entries = top.list("chain", MAX_STEPS);
  const names: string[] = [];
  for (const { path, value } of entries) {
    const known = SIMULATOR_STEPS.find((step) => step === value);
    if (known !== undefined) names.push(known);
    else {
      const hint = typeof value === "string" ? didYouMean(value, SIMULATOR_STEPS) : "";
      reading.notes.problem(path, `${shown(value)} is not a step of the simulator${hint}`, SIMULATOR_STEPS.join(", "));
    }
  }
  const spot = top.spot("chain");
  if (entries.length === 0 && Array.isArray(spot?.value))
    reading.notes.problem(spot.path, "names no step; at least one is needed");
  refuseTwins(names, (index) => `${top.pathOf("chain")}[${index}]`, reading);
  return names;
}

/** The simulator is a program like any other, staged under wms2/; its options travel as they were written. */
export function simulatorSteps(
  steps: readonly (readonly [name: string, profile: string])[],
  simulate: Spot | null,
  reading: Reading,
): readonly StepSpec[] {
  const { notes } = reading;
  if (simulate !== null && !isRow(simulate.value))
    notes.problem(simulate.path, `must be a map of options (got ${shown(simulate.value)})`);
  const options = stringify(isRow(simulate?.value) ? simulate.value : {});
  if (simulate !== null && options.length > 20_000)
    notes.problem(simulate.path, "is too long: at most 20000 characters as JSON");
  return steps
    .filter(([name]) => isName(name))
    .map(([name, profile]) => ({ name, argv: ["wms2/simulate", profile], env: { WMS2_SIM_OPTIONS: options } }));
}
