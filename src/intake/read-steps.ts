import { stringify } from "../core/base/json.ts";
import { isName, NAME_RULE } from "../core/names.ts";
import { SIMULATE } from "../core/parallel-steps.ts";
import type { StepSpec } from "../core/request.ts";
import { Form } from "./reading/form.ts";
import { readCommand } from "./reading/read-command.ts";
import { readEnv } from "./reading/read-env.ts";
import { isRow, refuseTwins, type Spot } from "./reading/values.ts";

const MAX_STEPS = 50;
export const SIMULATOR_STEPS = ["GEN", "SIM", "DIGI", "RECO", "MINI", "NANO"] as const;

/** The steps of a job, and whether they are the simulator's (which has outputs of its own accord). */
export interface ReadSteps {
  readonly steps: readonly StepSpec[];
  readonly simulated: boolean;
}

export function readSteps(top: Form, usualChain: readonly string[]): ReadSteps {
  const payload = top.spot("payload");
  const steps = top.spot("steps");
  const chain = top.spot("chain");
  const simulate = top.spot("simulate");
  if (payload === null) {
    for (const stray of [chain, simulate]) stray?.problem("belongs to the simulator; add payload: simulator");
    if (steps === null && chain === null && simulate === null)
      top.missing("steps", "steps: [{name, run}], or payload: simulator");
    return { steps: readStepList(steps), simulated: false };
  }
  if (payload.value !== "simulator")
    payload.unknown("is not a known payload", ["simulator", "cmssw"], "simulator, cmssw, or steps of your own");
  steps?.problem("cannot be given together with payload; keep one of them");
  const names = chain === null ? usualChain : readChain(chain);
  const pairs = names.map((name) => ({ name, profile: name }));
  return { steps: simulatorSteps(pairs, simulate), simulated: true };
}

function readStepList(spot: Spot | null): readonly StepSpec[] {
  const entries = spot?.list(MAX_STEPS) ?? [];
  refuseNone(spot);
  const steps = entries.map((entry, index) => readStep(entry, `step${index + 1}`));
  refuseTwins(steps.map(({ name }, index) => entries[index]!.child("name", name)));
  return steps;
}

function refuseNone(spot: Spot | null): void {
  if (Array.isArray(spot?.value) && spot.value.length === 0) spot.problem("names no step; at least one is needed");
}

/** Step names become file names beside the outputs. */
const STEP_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,49}$/;

function readStep(spot: Spot, fallback: string): StepSpec {
  if (typeof spot.value === "string") return { name: fallback, argv: readCommand(spot), env: {} };
  const form = Form.at(spot, "a step", "{name, run, env, parallel}");
  if (form === null) return { name: fallback, argv: [], env: {} };
  const name = form.text("name", fallback, STEP_NAME, `${NAME_RULE}; here at most 50`);
  const argv = readCommand(form.needed("run", '"./program word word" or [program, word, …]'));
  const env = readEnv(form.section("env"));
  const parallel = form.spot("parallel")?.oneOf(["by-events"] as const, "is not a way to run a step in parallel");
  form.close();
  return { name, argv, env, ...(parallel && { parallel }) };
}

function readChain(spot: Spot): readonly string[] {
  const known = (entry: Spot) => entry.oneOf(SIMULATOR_STEPS, "is not a step of the simulator") !== null;
  const names = spot.list(MAX_STEPS).filter(known);
  refuseNone(spot);
  refuseTwins(names);
  return names.map(({ value }) => value as string);
}

/** The simulator is a program like any other, staged under wms2/; its options travel as they were written. */
export function simulatorSteps(
  steps: readonly { readonly name: string; readonly profile: string }[],
  simulate: Spot | null,
): readonly StepSpec[] {
  const given = simulate?.value ?? {};
  if (!isRow(given)) simulate?.mustBe("a map of options");
  const options = stringify(isRow(given) ? given : {});
  if (options.length > 20_000) simulate?.problem("is too long: at most 20000 characters as JSON");
  return steps
    .filter(({ name }) => isName(name))
    .map(({ name, profile }) => ({ name, argv: [SIMULATE, profile], env: { WMS2_SIM_OPTIONS: options } }));
}
