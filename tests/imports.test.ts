import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

/**
 * Who may import whom. A name is a folder of src/, or one file of it. Pure folders know only base, domain and submit-dir; the
 * lifecycle knows ports, never adapters; only main.ts and the CLI's own entry points know everybody.
 */
const PURE = [
  "reading",
  "kinds",
  "intake",
  "admission",
  "planning",
  "render",
  "monitor",
  "outputs",
  "recovery",
  "reports",
  "sites",
  "sizing",
];
const PORTS = ["engine/port.ts", "store/port.ts", "catalogs/port.ts"];
const MAY_IMPORT: Record<string, readonly string[]> = {
  base: [],
  domain: ["base"],
  "submit-dir": ["base", "domain"],
  ...Object.fromEntries(PURE.map((folder) => [folder, ["base", "domain", "submit-dir"]])),
  reading: ["base", "domain/problem.ts"],
  planning: ["base", "domain", "submit-dir", "sizing"],
  kinds: ["base", "domain", "reading", "planning"],
  intake: ["base", "domain", "submit-dir", "reading", "kinds"],
  recovery: ["base", "domain", "submit-dir", "reading"],
  explain: ["base", "domain", "recovery"],
  config: ["base"],
  payload: ["base", "domain", "submit-dir"],
  "submit-host": ["base", "domain", "submit-dir", "outputs", "recovery", "disk/read-if-there.ts", "disk/lock-file.ts"],
  disk: [
    "base",
    "domain",
    "submit-dir",
    "payload",
    "recovery",
    "engine/format",
    "lifecycle/ports.ts",
    "lifecycle/frepp-port.ts",
  ],
  "engine/port.ts": ["base", "domain"],
  "engine/format": ["base", "domain", "engine/port.ts"],
  "disk/read-if-there.ts": [],
  "disk/processes.ts": [],
  "disk/lock-file.ts": ["disk/read-if-there.ts", "disk/processes.ts"],
  "engine/observe": ["base", "domain", "submit-dir", "disk", "engine/format"],
  "engine/dag": ["base", "domain", "submit-dir", "disk/read-if-there.ts", "engine/port.ts", "engine/format"],
  "engine/runners": [
    "base",
    "domain",
    "submit-dir",
    "disk/processes.ts",
    // To do in place of our own programs what they would.
    "payload/files.ts",
    "submit-host/ledger-file.ts",
    "engine/port.ts",
    "engine/format",
    "engine/dag",
  ],
  "engine/dagman": ["base", "domain", "submit-dir", "disk", "engine/port.ts", "engine/format", "engine/observe"],
  "engine/local": [
    "base",
    "domain",
    "submit-dir",
    "disk",
    "engine/port.ts",
    "engine/format",
    "engine/observe",
    "engine/dag",
    "engine/runners",
  ],
  store: ["base", "domain", "disk"],
  catalogs: ["base", "domain", "disk"],
  // The services of CMS know nothing of WMS2; only the catalog made of them does.
  ...Object.fromEntries(
    ["dbs", "rucio", "cric", "reqmgr2", "http"].map((part) => [
      `catalogs/cms/${part}`,
      ["base", "catalogs/cms/http", "catalogs/cms/services.ts"],
    ]),
  ),
  lifecycle: ["base", "domain", "submit-dir", "explain", ...PURE, ...PORTS],
  operators: ["base", "domain", "submit-dir", "explain", "lifecycle", ...PURE, ...PORTS],
  reqmgr2: ["base", "domain", "reading", "intake", "lifecycle/ports.ts", "operators", ...PORTS],
  alerts: ["base", "domain", "config/settings.ts", ...PORTS],
  housekeeping: [
    "base",
    "domain",
    "submit-dir",
    "disk",
    "recovery",
    "alerts",
    "engine/port.ts",
    "engine/format",
    "store/port.ts",
  ],
  "kinds/kind.ts": ["base", "domain", "reading", "planning"],
  operations: ["base", "domain", "recovery/round/actions.ts"],
  mcp: ["base", "domain", "operations"],
  api: [
    "base",
    "domain",
    "submit-dir",
    "operations",
    "mcp",
    "kinds/kind.ts",
    ...PORTS,
    "operators/port.ts",
    "lifecycle/ports.ts",
  ],
  // Operations read through queries and change through commands.
  "api/run": ["base", "domain", "operations", "kinds/kind.ts", "api", "operators/port.ts", "operators/frepp-port.ts"],
  cli: [
    "base",
    "domain",
    "config",
    "reading",
    "intake",
    "reports",
    "kinds",
    "explain/fill-grid.ts",
    "explain/fill-text.ts",
    "operations",
    "mcp",
    "recovery/round/actions.ts",
    "recovery/round/effect.ts",
    "disk/processes.ts",
    "main.ts",
  ],
  "simulate/chance.ts": [],
  emulate: ["base", "simulate/chance.ts"],
  simulate: [
    "base",
    "domain",
    "submit-dir",
    "config",
    "disk",
    "reading",
    "intake",
    "kinds",
    "engine",
    "store",
    "catalogs",
    "lifecycle",
    "operators",
    "recovery",
    "submit-host",
    "main.ts",
  ],
  "start-up.ts": ["base", "domain", "config", "disk", "engine/dagman", "api/tokens.ts", "lifecycle/ports.ts"],
  "simulate-child.ts": ["base"],
  "read-aside.ts": ["base", "intake", "kinds"],
  "reading-thread.ts": ["intake", "kinds"],
  "main.ts": [
    "start-up.ts",
    "simulate-child.ts",
    "read-aside.ts",
    "base",
    "domain",
    "config",
    "recovery",
    "render",
    "disk",
    "engine",
    "store",
    "catalogs",
    "kinds",
    "lifecycle",
    "operators",
    "reqmgr2",
    "alerts",
    "housekeeping",
    "api",
    "payload",
  ],
};
/** The commands that work without a server may look further (design: serve, plan, policy, doctor, demo). */
const SERVERLESS = /^cli\/(serve|plan|policy.*|doctor|spool|simulate|demo|demo\/.*|view\/plan-page)\.ts$/;

const IMPURE = [
  /\bDate\.now\b/,
  /\bnew Date\(\)/,
  /\bMath\.random\b/,
  /\bprocess\.env\b/,
  /\bfetch\(/,
  /\bconsole\./,
  /from "node:(?!crypto)/,
];

const src = resolve(import.meta.dirname, "../src");

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => join(folder, name));
}

/** The longest name in the table that covers a path. */
const owner = (path: string): string | undefined =>
  Object.keys(MAY_IMPORT)
    .filter((name) => path === name || path.startsWith(`${name}/`))
    .sort((a, b) => b.length - a.length)[0];

const importsOf = (file: string, text: string): string[] =>
  [...text.matchAll(/^(?:import|export)\b[^;]*?from "(\.[^"]+)";/gms)].map((match) =>
    relative(src, resolve(dirname(file), match[1] ?? "")),
  );

const files = sources(src).map((file) => ({ file, path: relative(src, file), text: readFileSync(file, "utf8") }));

test("every source file has a place in the table", () => {
  expect(files.map(({ path }) => path).filter((path) => owner(path) === undefined)).toEqual([]);
});

test("imports point one way", () => {
  const wrong: string[] = [];
  for (const { file, path, text } of files) {
    const mine = owner(path);
    if (!mine || SERVERLESS.test(path)) continue;
    const allowed = [mine, ...(MAY_IMPORT[mine] ?? [])];
    for (const target of importsOf(file, text)) {
      if (!allowed.some((name) => target === name || target.startsWith(`${name}/`))) wrong.push(`${path} → ${target}`);
    }
  }
  expect(wrong).toEqual([]);
});

/** Decisions and their explanations are pure wherever they stand. */
const DECIDES = /(^|\/)(decide|explain)(-[^/]*)?\.ts$/;

test("pure folders and whatever decides do not touch the world", () => {
  const wrong: string[] = [];
  for (const { path, text } of files) {
    const isPure = [...PURE, "explain", "submit-dir", "domain", "base"].some((folder) => path.startsWith(`${folder}/`));
    if (!isPure && !DECIDES.test(path)) continue;
    const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    if (DECIDES.test(path) && /\b(async|await)\b/.test(code)) wrong.push(`${path}: waits for something`);
    for (const pattern of IMPURE) if (pattern.test(code)) wrong.push(`${path}: ${pattern}`);
  }
  expect(wrong).toEqual([]);
});
