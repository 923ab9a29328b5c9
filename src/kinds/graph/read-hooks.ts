import type { Hook } from "../../core/graph.ts";
import { Form } from "../../intake/reading/form.ts";
import { readWords } from "../../intake/reading/read-command.ts";
import { quoted } from "./faults.ts";
import { isGlob, type JobNames } from "./job-names.ts";
import { COMMAND, readTexts } from "./read-job.ts";

/** `on: {start, end, jobs_ended: [{jobs, run}]}`. They take no parameters. `names`: of all jobs; null: not all are known. */
export function readHooks(form: Form, names: JobNames | null): readonly Hook[] {
  const hooks: Hook[] = [];
  for (const on of ["start", "end"] as const) {
    const spot = form.spot(on);
    if (spot) hooks.push({ on, jobs: [], argv: readWords(spot, "{}") });
  }
  for (const entry of form.list("jobs_ended", 1000)) {
    const hook = Form.at(entry, "a hook", '{jobs: "train-*", run: ./tell.sh}');
    if (hook === null) continue;
    const run = hook.needed("run", COMMAND);
    const jobs = readTexts(hook.needed("jobs", "names or globs of jobs"), "the name of a job, or a glob");
    hook.close();
    for (const job of names ? jobs : [])
      if (isGlob(job) && names!.matching(job).length === 0) hook.problem("jobs", `${quoted(job)} matches no job`);
      else if (!isGlob(job) && names!.named(job) === undefined)
        hook.problem("jobs", `${quoted(job)} is not a job of this graph`);
    hooks.push({ on: "jobs-ended", jobs, argv: run ? readWords(run, "{}") : [] });
  }
  form.close({ jobs_complete: "write jobs_ended", complete: "write end" });
  return hooks;
}
