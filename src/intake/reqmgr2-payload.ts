import { CMSRUN } from "../domain/cms.ts";
import type { OutputSpec, StepSpec } from "../domain/request.ts";
import type { IntakeRules } from "../domain/submission.ts";
import type { Form } from "../reading/form.ts";
import { isRow, Spot } from "../reading/values.ts";
import { cmsswOutput } from "./read-cmssw.ts";
import { simulatorOutput } from "./read-outputs.ts";
import { SIMULATOR_STEPS, simulatorSteps } from "./read-steps.ts";
import type { ChainStep } from "./reqmgr2-chain.ts";

/** What runs the steps of a ReqMgr2 document: its commands, and the files it leaves behind. */
export interface Payload {
  steps(top: Form, steps: readonly ChainStep[], filterEfficiency: number): readonly StepSpec[];
  output(name: string, profile: string): OutputSpec;
  /** A step may have several output modules. */
  readonly manyOutputs: boolean;
}

export const PAYLOADS: Readonly<Record<IntakeRules["cmsPayload"], Payload>> = {
  simulator: {
    steps(top, steps, filterEfficiency) {
      const most = SIMULATOR_STEPS.length;
      if (steps.length > most)
        top.problem("StepChain", `the simulator can stand in for at most ${most} steps (got ${steps.length})`);
      top.notes.warn(
        "",
        "the steps run WMS2's simulator: the CMSSW configurations this document names are carried along, not run",
      );
      return simulatorSteps(steps, simulatorOptions(top, filterEfficiency, steps[0]?.profile ?? "GEN"));
    },
    output: simulatorOutput,
    manyOutputs: false,
  },
  /** The worker's cmsRun knows step and outputs by the names they have in the spec's `cms`. */
  cmssw: {
    steps: (_top, steps) => steps.map(({ name }) => ({ name, argv: [CMSRUN, name], env: {} })),
    output: cmsswOutput,
    manyOutputs: true,
  },
};

/** From PayloadConfig.simulate; the filter of the generator step is simulated unless the options say how. */
function simulatorOptions(top: Form, filterEfficiency: number, profile: string): Spot {
  const payload = top.spot("PayloadConfig");
  const given = isRow(payload?.value) ? (payload.value.simulate ?? {}) : {};
  const isFiltered = isRow(given) && filterEfficiency !== 1;
  const options = isFiltered ? { filter: { [profile]: filterEfficiency }, ...given } : given;
  return new Spot(`${top.pathOf("PayloadConfig")}.simulate`, options, top.notes);
}
