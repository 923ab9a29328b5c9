import { parseArgs } from "node:util";

/** Each benchmark is a file that exports `run`; its numbers are printed as they are. */
const BENCHMARKS: Record<string, (nodes: number | undefined, rest: readonly string[]) => Promise<object>> = {
  adaptive: async () => (await import("./adaptive.ts")).run(),
  api: async () => (await import("./api.ts")).run(),
  blocks: async () => (await import("./blocks.ts")).run(),
  "desk-api": async (requests = 10_000) => (await import("./desk-api.ts")).run({ requests }),
  desk: async (requests = 10_000) => (await import("./desk.ts")).run({ requests }),
  engine: async () => (await import("./engine.ts")).run(),
  aggregate: async (nodes = 100_000) => (await import("./aggregate.ts")).run({ nodes, failures: nodes / 10 }),
  catalogs: async (files = 1_000_000) => (await import("./catalogs.ts")).run({ files }),
  "catalogs-read": async (_, [settings = ""]) => (await import("./catalogs.ts")).read({ settings }),
  fill: async (components = 50) => (await import("./fill.ts")).run({ components }),
  graph: async (jobs = 100_000) => (await import("./graph.ts")).run({ jobs }),
  hostile: async () => (await import("./hostile.ts")).run(),
  pass: async () => (await import("./pass.ts")).run(),
  post: async () => (await import("./post.ts")).run(),
  lumis: async (files = 200_000) => (await import("./lumis.ts")).run({ files }),
  million: async (files = 1_000_000, [algorithm = "FileBased", lumis = "data"]) =>
    (await import("./million.ts")).run({ files, algorithm, lumis } as Parameters<typeof import("./million.ts").run>[0]),
  plan: async (nodes = 100_000) => (await import("./plan.ts")).run({ nodes }),
  pool: async (nodes = 460) => (await import("./pool.ts")).run({ units: Math.floor(nodes / 23) }),
  kills: async (kills = 100, [seed = "1"]) => (await import("./kills.ts")).run({ kills, seed: Number(seed) }),
  submit: async (requests = 10_000) => (await import("./submit.ts")).run({ requests }),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean" }, nodes: { type: "string" } },
});
const benchmark = BENCHMARKS[positionals[0] ?? ""];
if (!benchmark) {
  console.error(`usage: npm run bench -- ${Object.keys(BENCHMARKS).join("|")} [--nodes N] [--json]`);
  process.exit(2);
}
const numbers = await benchmark(values.nodes ? Number(values.nodes) : undefined, positionals.slice(1));
if (values.json) console.log(JSON.stringify(numbers));
else for (const [name, value] of Object.entries(numbers)) console.log(`${name.padEnd(24)} ${value}`);
process.exit(0);
