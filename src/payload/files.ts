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

const WORKER = [
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
const BRAIN = file("../../dist/payload/submit-host/brain.cjs", "bin/brain.cjs");

/** What a submit directory needs besides the rendered files and the request's own: copied as they are. */
export const PAYLOAD_FILES: readonly PayloadFile[] = [
  file("./worker/run.sh", "payload/wms2/run.sh", true),
  ...WORKER.map((name) => file(`./worker/${name}`, `payload/wms2/${name}`)),
  file("./simulator/simulate", "payload/wms2/simulate", true),
  ...SIMULATOR.map((name) => file(`./simulator/${name}`, `payload/wms2/sim/${name}`)),
  file("./submit-host/pre", "bin/pre", true),
  file("./submit-host/post", "bin/post", true),
  file("./submit-host/elect", "bin/elect", true),
  file("./submit-host/unit", "bin/unit", true),
  file("./submit-host/submit", "bin/submit", true),
  file("./submit-host/verdict.sh", "bin/verdict.sh"),
  file("./submit-host/site.awk", "bin/site.awk"),
  file("./submit-host/outputs.awk", "bin/outputs.awk"),
  BRAIN,
];
