import { pathToFileURL } from "node:url";
import { builtProgram } from "../../core/disk/package-root.ts";
import { program, RUN, WORKER } from "../names.ts";

/** A file of ours that goes into submit directories. */
interface PayloadFile {
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

/** Made by scripts/build of several, so they are only ever in dist. */
const built = (source: string, target: string, executable = false) =>
  file(pathToFileURL(builtProgram(`src/submit-dir/payload/${source}`)).href, target, executable);

/** What the worker's programs are told by the installation and the request, a line each (src/submit-dir/payload/facts.ts). */
export const FACTS_FILE = `${WORKER}/facts`;

/** Only for requests that have such a step: every file of a job costs it milliseconds. */
export const CMSSW_FILES: readonly PayloadFile[] = [
  file("./cmssw/cmsrun", `${WORKER}/cmsrun`, true),
  file("./cmssw/cmsrun", `${WORKER}/cmsmerge`, true),
  file("./cmssw/pset.py", `${WORKER}/pset.py`),
];

/** Only for requests that name it. */
export const SIMULATOR_FILES: readonly PayloadFile[] = [
  file("./simulator/simulate", `${WORKER}/simulate`, true),
  built("simulator/simulator.mjs", `${WORKER}/simulator.mjs`),
];

/** What a submit directory needs besides the rendered files and the request's own: copied as they are. */
export const PAYLOAD_FILES: readonly PayloadFile[] = [
  built("worker/run.sh", program(RUN), true),
  ...["pre", "post", "elect", "unit", "submit"].map((name) => file(`./submit-host/${name}`, program(name), true)),
  ...["verdict.sh", "landing.awk", "outputs.awk"].map((name) => file(`./submit-host/${name}`, program(name))),
  built("submit-host/brain.cjs", program("brain.cjs")),
  // Where Node looks for a package.
  built("submit-host/re2js.js", program("node_modules/re2js.js")),
];
