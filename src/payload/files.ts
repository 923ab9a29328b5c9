import { program, WORKER } from "../submit-dir/names.ts";

/** A file of ours that goes into every submit directory. */
export interface PayloadFile {
  /** Where it is now: beside this module, in src as in dist. */
  readonly source: URL;
  /** Its path in the submit directory. */
  readonly target: string;
  readonly executable: boolean;
}

const file = (source: string, target: string, executable = false): PayloadFile => ({
  source: new URL(source, import.meta.url),
  target,
  executable,
});

const WORKER_PARTS = [
  "words.sh",
  "report.sh",
  "manifest.sh",
  "memory.sh",
  "step.sh",
  "storage.sh",
  "processing.sh",
  "merge.sh",
  "cleanup.sh",
  "json.awk",
  "quote.awk",
  "fjr.awk",
];

const SIMULATOR = ["main.mjs", "options.mjs", "failures.mjs", "events.mjs", "load.mjs", "report.mjs"];

/** Bundled from src/submit-host by scripts/build, so it is only ever in dist. */
const BRAIN = file("../../dist/payload/submit-host/brain.cjs", program("brain.cjs"));

/** What a submit directory needs besides the rendered files and the request's own: copied as they are. */
export const PAYLOAD_FILES: readonly PayloadFile[] = [
  file("./worker/run.sh", `${WORKER}/run.sh`, true),
  ...WORKER_PARTS.map((name) => file(`./worker/${name}`, `${WORKER}/${name}`)),
  file("./simulator/simulate", `${WORKER}/simulate`, true),
  ...SIMULATOR.map((name) => file(`./simulator/${name}`, `${WORKER}/sim/${name}`)),
  ...["pre", "post", "elect", "unit", "submit"].map((name) => file(`./submit-host/${name}`, program(name), true)),
  ...["verdict.sh", "site.awk"].map((name) => file(`./submit-host/${name}`, program(name))),
  BRAIN,
];
