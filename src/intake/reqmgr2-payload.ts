import { CMSRUN } from "../core/cms.ts";
import type { OutputSpec, StepSpec } from "../core/request.ts";
import type { IntakeRules } from "../core/submission.ts";
import { cmsswOutput } from "./read-cmssw.ts";
import { simulatorOutput } from "./read-outputs.ts";
import { SIMULATOR_STEPS, simulatorSteps } from "./read-steps.ts";
import type { Form } from "./reading/form.ts";
import { isRow, Spot } from "./reading/values.ts";
import type { ChainStep } from "./reqmgr2-chain.ts";
import type { StepOutput } from "./reqmgr2-names.ts";

/** What runs the steps of a ReqMgr2 document: its commands, and the files it leaves behind. */
export interface Payload {
  steps(
    top: Form,
    steps: readonly ChainStep[],
    filterEfficiency: number,
    made: readonly StepOutput[],
  ): readonly StepSpec[];
  output(name: string, profile: string): OutputSpec;
}

export const PAYLOADS: Readonly<Record<IntakeRules["cmsPayload"], Payload>> = {
  simulator: {
    steps(top, steps, filterEfficiency, made) {
      const most = SIMULATOR_STEPS.length;
      if (steps.length > most)
        top.problem("StepChain", `the simulator can stand in for at most ${most} steps (got ${steps.length})`);
      top.notes.warn(
        "",
        "the steps run WMS2's simulator: the CMSSW configurations this document names are carried along, not run",
      );
      const options = simulatorOptions(top, filterEfficiency, steps[0]?.profile ?? "GEN", filesOf(steps, made));
      return simulatorSteps(steps, options);
    },
    output: simulatorOutput,
  },
  /** The worker's cmsRun knows step and outputs by the names they have in the spec's `cms`. */
  cmssw: {
    steps: (_top, steps) => steps.map(({ name }) => ({ name, argv: [CMSRUN, name], env: {} })),
    output: cmsswOutput,
  },
};

type FilesByProfile = Readonly<Record<string, readonly string[]>>;

/** The files of steps that have several outputs; any other has the one that is called after its profile. */
const filesOf = (steps: readonly ChainStep[], made: readonly StepOutput[]): FilesByProfile =>
  Object.fromEntries(
    steps.flatMap(({ name, profile }) => {
      const files = made.filter(({ step }) => step === name).map(({ output }) => output.file);
      return files.length > 1 ? [[profile, files]] : [];
    }),
  );

/** From PayloadConfig.simulate; the filter of the generator step is simulated unless the options say how. */
function simulatorOptions(top: Form, filterEfficiency: number, profile: string, outputs: FilesByProfile): Spot {
  const payload = top.spot("PayloadConfig");
  const given = isRow(payload?.value) ? (payload.value.simulate ?? {}) : {};
  const ours = {
    ...(filterEfficiency !== 1 && { filter: { [profile]: filterEfficiency } }),
    ...(Object.keys(outputs).length > 0 && { outputs }),
  };
  return new Spot(`${top.pathOf("PayloadConfig")}.simulate`, isRow(given) ? { ...ours, ...given } : given, top.notes);
}
