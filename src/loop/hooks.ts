import { inSlices } from "../core/base/slices.ts";
import { decideHooks } from "./decide-hooks.ts";
import type { Facts } from "./decision.ts";
import type { PassWork } from "./ports.ts";

const TIMEOUT_SEC = 300;

/**
 * Commands that a graph wants run when something happened. Nothing waits for them, and what becomes of them is noted with the run
 * and nowhere else. Each is noted before it begins, so that it runs at most once.
 */
export async function runHooks(ports: PassWork, { request, workflow, dag, observation }: Facts): Promise<void> {
  const { runHook, store, spool, clock, log } = ports;
  const { hooks = [], directory } = request.spec.work;
  if (!runHook || hooks.length === 0 || !directory || !workflow || !dag || !observation) return;
  const history = await store.dags.history(dag.id);
  const told = new Set(history.flatMap(({ type, detail }) => (type === "hook" ? [Number(detail.hook)] : [])));
  if (told.size === hooks.length) return;
  const names = hooks.some(({ on }, at) => on === "jobs-ended" && !told.has(at))
    ? await spool.jobNames(dag.submitDir)
    : null;
  const finished: ReadonlySet<string> = names ? await store.units.finishedNames(workflow.id) : new Set();
  const jobs = new Map([...(names?.nodes ?? [])].map((node) => [names?.nameOf(node) ?? node, node]));
  const isFirstRun = dag.parentDagId === null;
  const due = await inSlices(decideHooks({ hooks, isFirstRun, observation, told, jobs, finished }));
  for (const hook of due) {
    const { on, argv } = hooks[hook]!;
    await store.dags.addEvent({ dagId: dag.id, type: "hook", detail: { hook, on, argv }, at: clock.now() });
    const env = {
      WMS2_REQUEST: request.spec.name,
      WMS2_HOOK: on,
      WMS2_VERDICT: observation.kind === "ended" ? observation.verdict : "",
    };
    const wanted = { argv, cwd: directory, env, log: `${dag.submitDir}/hooks.log`, timeoutSec: TIMEOUT_SEC };
    const note = async (result: string): Promise<void> => {
      log.info("hook.ended", { request: request.spec.name, on, result });
      const detail = { hook, on, result };
      await store.dags.addEvent({ dagId: dag.id, type: "hook-ended", detail, at: clock.now() });
    };
    // Nobody waits for it: a server that ends meanwhile leaves it without its last word.
    void Promise.resolve()
      .then(() => runHook(wanted))
      .catch((error: unknown) => `could not be run: ${error instanceof Error ? error.message : String(error)}`)
      .then(note)
      .catch((error: unknown) => log.warn("hook.unnoted", { request: request.spec.name, on, error: String(error) }));
  }
}
