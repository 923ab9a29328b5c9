import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scratch } from "./payload-scratch.ts";

/** What a job of a small graph does; see docs/submit-directory.md. */
export interface SmallJob {
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly reads?: readonly string[];
  readonly makes?: readonly string[];
}

const SUBMIT = `executable = ../bin/run.sh
arguments = job $(JOB)
transfer_input_files = ../payload/,manifest.json
transfer_output_files = report.json
transfer_output_remaps = "report.json=$(JOB).$(Cluster).report.json"
should_transfer_files = YES
output = $(JOB).$(Cluster).out
error = $(JOB).$(Cluster).err
log = group.log
request_memory = 64
include : group.inc
queue
`;

/** Lays out the jobs of a graph, by node, beside our programs; they run in `directory`, and nothing that failed is tried again. */
export function layGraph(submit: Scratch, directory: string, jobs: Readonly<Record<string, SmallJob>>): void {
  const part = submit.path("part_000");
  for (const dir of [part, submit.path("payload"), directory]) mkdirSync(dir, { recursive: true });
  const size = { cores: 1, memoryMb: 64, diskMb: 1, wallMinutes: 5, gpus: 0 };
  const lines = Object.entries(jobs).map(([node, { argv, env = {}, reads = [], makes = [] }]) => {
    const entry = { name: `the ${node}`, argv, env, reads, makes, resources: size, handlers: [], digest: "d", seed: 5 };
    return `"${node}":${JSON.stringify(entry)}`;
  });
  const head = `"version":1,\n"request":"two-ways",\n"dag":"d",\n"round":0,\n"block":0,\n"sites":["here"],\n"directory":${JSON.stringify(directory)}`;
  writeFileSync(join(part, "manifest.json"), `{\n${head},\n"nodes":{\n${lines.join(",\n")}\n}\n}\n`);
  writeFileSync(join(part, "group.inc"), 'My.DESIRED_Sites = "here"\n');
  writeFileSync(submit.path("job.sub"), SUBMIT);
  writeFileSync(submit.path("policy.json"), "no policy: nothing is tried again, and no time is set for it\n");
  const dag = Object.keys(jobs).map(
    (node) =>
      `JOB ${node} ../job.sub DIR part_000\nSCRIPT DEFER 44 1 PRE ${node} ../bin/pre $JOB $RETRY\n` +
      `SCRIPT DEFER 44 1 POST ${node} ../bin/post $JOB $RETURN $RETRY $MAX_RETRIES $CLUSTERID\nPRE_SKIP ${node} 45\n`,
  );
  writeFileSync(submit.path("workflow.dag"), dag.join(""));
}
