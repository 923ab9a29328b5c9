import type { Form } from "../../../intake/reading/form.ts";
import type { Row, Spot } from "../../../intake/reading/values.ts";
import { globFor, globOf } from "./torc-patterns.ts";
import type { TorcWorld } from "./torc-world.ts";
import { mapsIn } from "./translation.ts";

const TRIGGERS = ["on_workflow_start", "on_workflow_complete", "on_jobs_ready", "on_jobs_complete"] as const;
const SLURM =
  "scheduler scheduler_name scheduler_type num_allocations start_one_worker_per_node max_parallel_jobs persistent";

/** `actions: [{trigger_type, action_type: run_commands, commands}]` as our `on`. Like ours, they never hold up a job. */
export function readActions(top: Form, world: TorcWorld): Row {
  const started: string[] = [];
  const ended: string[] = [];
  const jobsEnded: Row[] = [];
  for (const form of mapsIn(top, "actions", 1000)) {
    const trigger = form.choice("trigger_type", TRIGGERS, "on_workflow_start");
    const type = form.choice("action_type", ["run_commands", "schedule_nodes"] as const, "run_commands");
    const commands = form.list("commands", 100).map(({ value }) => String(value));
    const jobs = readJobs(form, world);
    form.knows(...SLURM.split(" "));
    form.close();
    if (type === "schedule_nodes") form.warn("action_type", "has no effect here: jobs go to places that have room");
    else if (commands.length === 0) form.missing("commands");
    else if (trigger === "on_jobs_ready")
      form.problem("trigger_type", "on_jobs_ready is not known here", "on_jobs_complete with the jobs before them");
    else if (trigger === "on_jobs_complete") jobsEnded.push({ jobs, run: commandLine(commands) });
    else (trigger === "on_workflow_start" ? started : ended).push(...commands);
  }
  return {
    ...(started.length > 0 && { start: commandLine(started) }),
    ...(ended.length > 0 && { end: commandLine(ended) }),
    ...(jobsEnded.length > 0 && { jobs_ended: jobsEnded }),
  };
}

/** One after the other, to the first that fails. */
const commandLine = (commands: readonly string[]): readonly string[] =>
  commands.length === 1
    ? ["bash", "-c", commands[0]!]
    : ["bash", "-c", 'for command do bash -c "$command" || exit; done', "bash", ...commands];

function readJobs(form: Form, world: TorcWorld): readonly string[] {
  const unknown = (spot: Spot): readonly string[] => spot.problem(`${JSON.stringify(spot.value)} is not a job`) ?? [];
  const named = form
    .list("jobs")
    .flatMap((spot) => (world.jobNames().includes(String(spot.value)) ? String(spot.value) : unknown(spot)));
  const matching = form.list("job_name_regexes").flatMap((spot) => {
    const found = world.search.find(String(spot.value), world.jobNames(), spot);
    return globOf(String(spot.value), new Map()) ?? globFor(found, world.jobNames());
  });
  return [...named, ...matching];
}
