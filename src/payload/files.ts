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

/** Made by scripts/build of several, so they are only ever in dist: every file of a job costs it milliseconds. */
const built = (source: string, target: string, executable = false) =>
  file(`../../dist/payload/${source}`, target, executable);

/** What a submit directory needs besides the rendered files and the request's own: copied as they are. */
export const PAYLOAD_FILES: readonly PayloadFile[] = [
  built("worker/run.sh", "payload/wms2/run.sh", true),
  ...["json.awk", "quote.awk", "fjr.awk"].map((name) => file(`./worker/${name}`, `payload/wms2/${name}`)),
  file("./simulator/simulate", "payload/wms2/simulate", true),
  built("simulator/simulator.mjs", "payload/wms2/simulator.mjs"),
  file("./submit-host/pre", "bin/pre", true),
  file("./submit-host/post", "bin/post", true),
  file("./submit-host/elect", "bin/elect", true),
  file("./submit-host/unit", "bin/unit", true),
  file("./submit-host/submit", "bin/submit", true),
  file("./submit-host/verdict.sh", "bin/verdict.sh"),
  file("./submit-host/site.awk", "bin/site.awk"),
  file("./submit-host/outputs.awk", "bin/outputs.awk"),
  built("submit-host/brain.cjs", "bin/brain.cjs"),
  // Where Node looks for a package.
  built("submit-host/re2js.js", "bin/node_modules/re2js.js"),
];
