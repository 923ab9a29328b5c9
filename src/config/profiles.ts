import type { Config, SettingKey } from "./settings.ts";

/**
 * What suits a grid does not suit a laptop: the settings whose default goes by the engine, side by side. Whatever
 * somebody sets comes before this table; `config show` tells which values come from it.
 */
export type EngineKind = Config["engine.kind"];

/** The biggest site of the local engine: no job can get more. */
export interface Machine {
  readonly sites: number;
  readonly cores: number;
  readonly memoryMb: number;
}
type Value<K extends SettingKey> = Config[K] | ((machine: Machine) => Config[K]);
type Profiles = { readonly [K in SettingKey]?: Readonly<Record<EngineKind, Value<K>>> };

// biome-ignore format: a table, one setting a line
const PROFILES: Profiles = {
  "recovery.cooloff_base_sec":            { local: 1, dagman: 60 },
  "recovery.first_retry_at_once":         { local: true, dagman: false },
  // There is one worker, and it is this one.
  "recovery.avoid_host_sec":              { local: 0, dagman: 600 },
  // A share of failures above 1 is never reached: the only site there is cannot be left out.
  "bans.failure_ratio":                   { local: ({ sites }) => (sites > 1 ? 0.5 : 1), dagman: 0.5 },
  "dag.defer_poll_sec":                   { local: 1, dagman: 30 },
  // A grid's sites give so much to every job anyway; here a job gets what its request says.
  "planning.least_memory_per_core_mb":    { local: 1, dagman: 2000 },
  "planning.default_memory_per_core_mb":  { local: (machine) => Math.min(2000, perCore(machine)), dagman: 2000 },
  "planning.max_memory_per_core_mb":      { local: ({ memoryMb }) => memoryMb, dagman: 3000 },
  "planning.max_memory_mb":               { local: ({ memoryMb }) => memoryMb, dagman: null },
  "planning.max_cores":                   { local: ({ cores }) => cores, dagman: null },
  // On a pool, what people wait for passes through the schedd and two DAGMans before a pass can see it.
  "lifecycle.interval_sec":               { local: 5, dagman: 3 },
  // The embedded engine knows at once whether a submission left a trace.
  "lifecycle.resubmit_grace_sec":         { local: 0, dagman: 10 },
};

const perCore = ({ memoryMb, cores }: Machine): number => Math.max(1, Math.floor(memoryMb / cores));

/** The defaults that go by the engine. */
export const profileOf = (engine: EngineKind, machine: Machine): Partial<Record<SettingKey, unknown>> =>
  Object.fromEntries(
    Object.entries(PROFILES).map(([key, row]) => {
      const value = row[engine];
      return [key, typeof value === "function" ? value(machine) : value];
    }),
  );
