import { parseArgs } from "node:util";

/** Each benchmark is a file that exports `run(options)`; its numbers are printed as they are. */
type Benchmark = { run(options: Record<string, number>): Promise<Record<string, number>> };
const BENCHMARKS: Record<string, () => Promise<Benchmark>> = {
  engine: () => import("./engine.ts") as Promise<Benchmark>,
  plan: () => import("./plan.ts") as Promise<Benchmark>,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean" }, nodes: { type: "string" } },
});
const load = BENCHMARKS[positionals[0] ?? ""];
if (!load) {
  console.error(`usage: npm run bench -- ${Object.keys(BENCHMARKS).join("|")} [--nodes N] [--json]`);
  process.exit(2);
}
const options: Record<string, number> = values.nodes ? { nodes: Number(values.nodes) } : {};
const numbers = await (await load()).run(options);
if (values.json) console.log(JSON.stringify(numbers));
else for (const [name, value] of Object.entries(numbers)) console.log(`${name.padEnd(24)} ${value}`);
process.exit(0);
