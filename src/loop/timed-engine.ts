import { type Clock, secondsBetween } from "../core/base/clock.ts";
import type { Engine } from "../engines/port.ts";
import type { PassMetrics } from "./ports.ts";

const TIMED = ["submit", "find", "observe", "nodes", "stop", "hold", "release", "ping", "sites"] as const;

/** The same engine, with the duration of every call measured, failed ones too. */
export function timedEngine(engine: Engine, metrics: PassMetrics, clock: Clock): Engine {
  const timed: Record<string, unknown> = {
    name: engine.name,
    id: engine.id,
    capabilities: engine.capabilities,
    onEnd: (tell: () => void) => engine.onEnd(tell),
    close: () => engine.close(),
  };
  for (const call of TIMED) {
    timed[call] = async (...args: never[]) => {
      const begun = clock.now();
      try {
        return await (engine[call] as (...args: never[]) => Promise<unknown>)(...args);
      } finally {
        metrics.observeEngineCall(call, secondsBetween(begun, clock.now()));
      }
    };
  }
  return timed as unknown as Engine;
}
