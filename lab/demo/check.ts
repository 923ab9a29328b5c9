import { statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { allOf, type Client } from "../../src/cli/client.ts";
import { attemptsOf } from "../../src/cli/nodes.ts";
import { grouped } from "../../src/cli/view/table.ts";
import type { WatchedRequest } from "../../src/cli/view/watched.ts";
import type { AttemptView } from "../../src/operations/attempts.ts";
import type { OutputView } from "../../src/operations/workflows.ts";
import { directTotals, mergedTotals } from "./dataset.ts";

/** What the request files beside this one ask for. */
export const REAL = "demo-warm-hours";
const SIMULATED = "demo-minbias";
const GENERATED_EVENTS = 1200;
const FAILED_ATTEMPTS = 5;

/** What one request of the demo came to. */
export type DemoResult = Awaited<ReturnType<typeof gatherResult>>;
export type Recovery = DemoResult["recoveries"][number];
export type Proof = ReturnType<typeof prove>;

export async function gatherResult(client: Client, watched: WatchedRequest) {
  const name = watched.request.request_name;
  const { items: outputs } = await allOf(client.requests.outputs, { name });
  const { items: attempts } = await attemptsOf(client, name);
  return { watched, attempts, recoveries: recoveriesOf(attempts), outputs };
}

/** Jobs that failed at least once, and what became of them: `done` is the attempt that succeeded; null: none did. */
function recoveriesOf(attempts: readonly AttemptView[]) {
  const byNode = grouped(attempts, ({ unit, node }) => `${unit}/${node}`);
  return [...byNode].flatMap(([node, own]) => {
    const failures = own.filter(({ decision }) => decision !== "done").map(({ reason }) => reason);
    const done = own.find(({ decision }) => decision === "done") ?? null;
    return failures.length > 0 ? [{ node, failures, done, attempts: own.length }] : [];
  });
}

export const failedAttempts = ({ recoveries }: DemoResult): number =>
  recoveries.reduce((sum, { failures }) => sum + failures.length, 0);

/** The same numbers twice: by the jobs and their merges, and by reading all input at once. */
export function prove(dataFolder: string, { outputs }: DemoResult) {
  const { totals: direct, readings } = directTotals(dataFolder);
  const merged = mergedTotals(outputs.map(({ path }) => path));
  return { readings, direct, merged, same: isDeepStrictEqual(direct, merged) };
}

/** Everything that is not as it should be; empty: the demo may call itself a success. */
export function complaints(results: readonly DemoResult[], proof: Proof | null): readonly string[] {
  const found = results.flatMap(({ watched, recoveries, outputs }) => {
    const { request_name: name, status } = watched.request;
    return [
      ...(status === "completed" ? [] : [`${name} is ${status}, not completed`]),
      ...recoveries.filter(({ done }) => done === null).map(({ node }) => `${name}: ${node} never succeeded`),
      ...outputs.filter(isNotThere).map(({ path }) => `${path} is not there as it was registered`),
      ...(outputs.length > 0 ? [] : [`${name} has no outputs`]),
    ];
  });
  const simulated = results.find(({ watched }) => watched.request.request_name === SIMULATED);
  const failed = simulated ? failedAttempts(simulated) : 0;
  if (failed < FAILED_ATTEMPTS) found.push(`${SIMULATED}: only ${failed} of ${FAILED_ATTEMPTS} failures happened`);
  const events = simulated?.outputs.reduce((sum, output) => sum + (output.events ?? 0), 0) ?? 0;
  if (events !== GENERATED_EVENTS) found.push(`${SIMULATED}: ${events} events instead of ${GENERATED_EVENTS}`);
  if (!proof?.same) found.push(`${REAL}: the merged totals differ from a direct computation`);
  return found;
}

const isNotThere = ({ path, size_bytes }: OutputView): boolean =>
  statSync(path, { throwIfNoEntry: false })?.size !== size_bytes;
