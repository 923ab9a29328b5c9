import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

/**
 * Who may import whom. A name is a folder or one file of src/ (of lab/ where it begins so). Pure folders know the core, the
 * spelling of a submit directory and each other one way; the loop knows ports, never adapters; only main.ts and the CLI's
 * own entry points know everybody.
 */
const PURE = [
  "core/base",
  "core",
  "intake/reading",
  "intake",
  "kinds",
  "planning",
  "submit-dir",
  "submit-dir/render",
  "submit-dir/reports",
  "recovery",
  "catalogs/outputs",
];
const CORE = ["core/base", "core"];
const PORTS = ["engines/port.ts", "store/port.ts", "catalogs/port.ts"];
const DECISIONS = ["submit-dir", "intake", "intake/reading", "kinds", "planning", "recovery", "catalogs/outputs"];
const MAY_IMPORT: Record<string, readonly string[]> = {
  "core/base": [],
  core: ["core/base"],
  "core/disk": CORE,
  config: ["core/base"],

  "intake/reading": ["core/base", "core/problem.ts"],
  intake: [...CORE, "intake/reading", "submit-dir", "kinds"],
  planning: CORE,
  kinds: [...CORE, "intake/reading", "planning"],
  // The part of a kind that touches the world.
  "kinds/segments/shell": [...CORE, "core/disk", "kinds/segments", "loop/frepp-port.ts"],
  recovery: [...CORE, "submit-dir", "intake/reading"],

  "submit-dir": CORE,
  "submit-dir/render": [...CORE, "submit-dir"],
  "submit-dir/reports": CORE,
  "submit-dir/payload": [...CORE, "core/disk/package-root.ts", "submit-dir"],
  "submit-dir/post": [
    ...CORE,
    "submit-dir",
    "catalogs/outputs",
    "recovery",
    "core/disk/read-if-there.ts",
    "core/disk/lock-file.ts",
  ],
  "submit-dir/disk": [
    ...CORE,
    "core/disk",
    "submit-dir",
    "submit-dir/payload",
    "recovery",
    "engines/format",
    "loop/ports.ts",
  ],

  "engines/port.ts": CORE,
  "engines/format": [...CORE, "engines/port.ts"],
  "engines/observe": [...CORE, "core/disk", "submit-dir", "submit-dir/disk", "engines/format"],
  "engines/dag": [...CORE, "submit-dir", "core/disk/read-if-there.ts", "engines/port.ts", "engines/format"],
  "engines/runners": [
    ...CORE,
    "submit-dir",
    "core/disk/processes.ts",
    // To do in place of our own programs what they would.
    "submit-dir/payload/files.ts",
    "submit-dir/post/ledger-file.ts",
    "engines/port.ts",
    "engines/format",
    "engines/dag",
  ],
  "engines/dagman": [
    ...CORE,
    "core/disk",
    "submit-dir",
    "submit-dir/disk",
    "engines/port.ts",
    "engines/format",
    "engines/observe",
  ],
  "engines/local": [
    ...CORE,
    "core/disk",
    "submit-dir",
    "submit-dir/disk",
    "engines/port.ts",
    "engines/format",
    "engines/observe",
    "engines/dag",
    "engines/runners",
  ],

  store: [...CORE, "core/disk"],
  catalogs: [...CORE, "core/disk", "catalogs/cms/**"],
  "catalogs/outputs": [...CORE, "submit-dir"],
  // The services of CMS know nothing of WMS2; only the catalog made of them does.
  ...Object.fromEntries(
    ["dbs", "rucio", "cric", "reqmgr2", "http"].map((part) => [
      `catalogs/cms/${part}`,
      ["core/base", "catalogs/cms/http", "catalogs/cms/services.ts"],
    ]),
  ),

  loop: [...CORE, ...DECISIONS, ...PORTS],

  operations: [...CORE, "recovery/round"],
  "operations/handlers": [...CORE, ...DECISIONS, "loop", ...PORTS],
  "operations/mcp": [...CORE, "core/disk/package-root.ts", "operations"],
  "operations/http": [
    ...CORE,
    "submit-dir",
    "operations",
    "operations/mcp",
    "operations/http/run",
    "kinds/kind.ts",
    ...PORTS,
    "operations/handlers/port.ts",
    "loop/ports.ts",
  ],
  // Operations read through queries and change through commands.
  "operations/http/run": [
    ...CORE,
    "operations",
    "kinds/kind.ts",
    "operations/http",
    "operations/handlers/port.ts",
    "operations/handlers/frepp-port.ts",
  ],
  "operations/upkeep/alerts": [...CORE, "config/settings.ts", ...PORTS],
  "operations/upkeep/housekeeping": [
    ...CORE,
    "core/disk",
    "submit-dir",
    "submit-dir/disk",
    "recovery",
    "operations/upkeep/alerts",
    "engines/format",
    ...PORTS,
  ],
  "operations/upkeep/reqmgr2": [...CORE, "intake", "intake/reading", "loop/ports.ts", "operations/handlers", ...PORTS],

  cli: [
    ...CORE,
    "config",
    "intake",
    "intake/reading",
    "kinds",
    "submit-dir/reports",
    "recovery/explain/fill-grid.ts",
    "recovery/explain/fill-text.ts",
    "recovery/round",
    "operations",
    "operations/mcp",
    "core/disk/processes.ts",
    "engines/runners/process/proc.ts",
    "main.ts",
  ],
  "start-up.ts": [...CORE, "core/disk", "config", "engines/dagman", "operations/http/tokens.ts", "loop/ports.ts"],
  "intake/read-aside.ts": [...CORE, "intake", "kinds"],
  "intake/reading-thread.ts": ["intake", "kinds"],
  "main.ts": [
    "start-up.ts",
    ...["core", "config", "intake", "kinds", "planning", "submit-dir", "recovery", "engines", "catalogs"].map(
      (room) => `${room}/**`,
    ),
    ...["loop", "store", "operations"].map((room) => `${room}/**`),
    "lab/simulate/simulate-child.ts",
  ],

  "lab/simulate/chance.ts": [],
  "lab/simulate/simulate-child.ts": ["core/base", "core/disk/package-root.ts"],
  "lab/emulate": ["core/base", "lab/simulate/chance.ts"],
  "lab/simulate": [
    ...CORE,
    ...DECISIONS,
    "intake/reading",
    "submit-dir/disk",
    "submit-dir/post",
    "config",
    "engines/**",
    "store",
    "catalogs",
    "loop",
    "operations/handlers",
    "main.ts",
    "lab/simulate/chance.ts",
  ],
  "lab/demo": [...CORE, "core/disk/package-root.ts", "config", "cli", "operations", "engines/runners", "lab/emulate"],
};
/** Benchmarks measure whatever they like. */
const FREE = /^lab\/bench\//;
/** The commands that work without a server may look further (design: serve, plan, policy, doctor, demo). */
const SERVERLESS = /^cli\/(serve|plan|policy.*|doctor|spool|simulate|emulate|demo|view\/plan-page)\.ts$/;

const IMPURE = [
  /\bDate\.now\b/,
  /\bnew Date\(\)/,
  /\bMath\.random\b/,
  /\bprocess\.env\b/,
  /\bfetch\(/,
  /\bconsole\./,
  /from "node:(?!crypto)/,
];

const root = resolve(import.meta.dirname, "..");
/** As the table names it: below src/ without that word, below lab/ with it. */
const placeOf = (file: string): string => relative(root, file).replace(/^src\//, "");

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => join(folder, name));
}

const covers = (name: string, path: string): boolean => path === name || path.startsWith(`${name}/`);

/** The longest name in the table that covers a path. */
const owner = (path: string): string | undefined =>
  Object.keys(MAY_IMPORT)
    .filter((name) => covers(name, path))
    .sort((a, b) => b.length - a.length)[0];

/** A folder that has a line of its own is not meant by the name of the one around it, unless that ends in /**. */
function means(name: string, path: string): boolean {
  if (name.endsWith("/**")) return covers(name.slice(0, -3), path);
  return covers(name, path) && (owner(path)?.length ?? 0) <= name.length;
}

const importsOf = (file: string, text: string): string[] =>
  [...text.matchAll(/^(?:import|export)\b[^;]*?from "(\.[^"]+)";/gms)].map((match) =>
    placeOf(resolve(dirname(file), match[1] ?? "")),
  );

const files = [...sources(join(root, "src")), ...sources(join(root, "lab"))]
  .map((file) => ({ file, path: placeOf(file), text: readFileSync(file, "utf8") }))
  .filter(({ path }) => !FREE.test(path));

test("the table names what there is, and src/ has at most 13 rooms", () => {
  const named = new Set([...PURE, ...Object.keys(MAY_IMPORT), ...Object.values(MAY_IMPORT).flat()]);
  const isThere = (name: string) => existsSync(join(root, "src", name)) || existsSync(join(root, name));
  expect([...named].filter((name) => !isThere(name.replace("/**", "")))).toEqual([]);
  const rooms = readdirSync(join(root, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(rooms.length).toBeLessThanOrEqual(13);
});

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
      if (!allowed.some((name) => means(name, target))) wrong.push(`${path} → ${target}`);
    }
  }
  expect(wrong).toEqual([]);
});

/** Decisions and their explanations are pure wherever they stand. */
const DECIDES = /(^|\/)(decide|explain)(-[^/]*)?\.ts$/;

test("pure folders and whatever decides do not touch the world", () => {
  const wrong: string[] = [];
  for (const { path, text } of files) {
    const isPure = PURE.includes(owner(path) ?? "");
    if (!isPure && !DECIDES.test(path)) continue;
    const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    if (DECIDES.test(path) && /\b(async|await)\b/.test(code)) wrong.push(`${path}: waits for something`);
    for (const pattern of IMPURE) if (pattern.test(code)) wrong.push(`${path}: ${pattern}`);
  }
  expect(wrong).toEqual([]);
});
