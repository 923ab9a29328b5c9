import { inSlices, mapInSlices } from "../../../core/base/slices.ts";
import { kindOf } from "../../../kinds/kind.ts";
import type { results } from "../../results.ts";
import type { Runs } from "../call.ts";
import { asList, given } from "../cursor.ts";
import { found } from "../problem.ts";

export const resultRuns: Runs<typeof results> = {
  async list({ name, failed, state, text, ...page }, call) {
    const filter = { onlyFailed: failed === "true", ...given({ states: asList(state), text }) };
    const { items, isLive, isGone, ...rest } = await call.page(page, filter, (wanted) =>
      found("request", name, call.commands.results(name, { ...filter, ...wanted })),
    );
    return {
      ...rest,
      live: isLive,
      gone: isGone,
      items: await inSlices(
        mapInSlices(items, ({ unit, node, job, asked, last, state, attempts }) => ({
          ...NOTHING_ENDED,
          ...last,
          ...{ unit, node, state, attempts },
          name: job ?? `${unit}/${node}`,
          cores: asked?.cores ?? null,
          memoryMb: last?.memoryMb ?? asked?.memoryMb ?? null,
          wallMinutes: last?.wallMinutes ?? asked?.wallMinutes ?? null,
        })),
      ),
    };
  },

  async graph({ name }, { queries, ports }) {
    const { record } = await found("request", name, queries.request(name));
    const { work } = record.spec;
    const kind = kindOf(ports.kinds, work);
    return { requestName: name, graph: kind.outline ? await inSlices(kind.outline(work)) : null };
  },
};

const NOTHING_ENDED = {
  exitCode: null,
  cause: null,
  signal: null,
  wallSec: null,
  cpuSec: null,
  peakMemoryMb: null,
  host: null,
  site: null,
  startedAt: null,
  endedAt: null,
  reason: null,
};
