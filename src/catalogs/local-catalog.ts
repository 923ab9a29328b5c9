import { mkdir, open, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseJson, stringify } from "../core/base/json.ts";
import { ok } from "../core/base/result.ts";
import { orUnwritable, readIfThere, unwritable } from "../core/disk/atomic-file.ts";
import type { OutputFile } from "../core/workflow.ts";
import { localDataset } from "./local-dataset.ts";
import { type Catalog, inPages, type OutputCatalog, type RefusedUnit } from "./port.ts";

/** Datasets are files of this machine; outputs go to a directory with a ledger. */
export function makeLocalCatalog(storageDir: string): Catalog {
  const ledger = new LocalLedger(join(storageDir, "ledger.jsonl"));
  return {
    name: "local",
    datasets: {
      async open(input, _wanted, signal) {
        const found = await localDataset(input, signal);
        return found.ok ? ok(inPages(found.value)) : found;
      },
      locate: async () => ok(null),
    },
    outputs: ledgerOutputs((request, unit, files) => ledger.register(request, unit, files)),
    sites: null,
    requests: null,
    services: null,
  };
}

type RegisterOutcome =
  | { readonly kind: "registered"; readonly adopted: number }
  | { readonly kind: "conflict"; readonly lfn: string; readonly message: string }
  /** A file that was to be registered is not there (yet). */
  | { readonly kind: "missing"; readonly path: string };

/**
 * Outputs whose only step is to be written into a ledger, unit by unit; there are no rules, and nothing is archived. What
 * is withdrawn stays in the ledger, which is only ever appended to: the store knows that it is not valid any more.
 */
export function ledgerOutputs(
  register: (request: string, unit: string, files: readonly OutputFile[]) => Promise<RegisterOutcome>,
): OutputCatalog {
  const done = { kind: "done", receipt: "ledger" } as const;
  return {
    steps: [{ name: "files", service: "ledger", when: "each-unit", takes: "owed", leaves: "registered" }],
    finally: "registered",
    retries: "each-pass",
    async run(_step, { requestName }, units) {
      const refused: RefusedUnit[] = [];
      for (const { unit, files } of units) {
        const outcome = await register(requestName, unit, files);
        if (outcome.kind === "conflict")
          refused.push({ unit, code: "conflict", message: outcome.message, fix: "find out which of the two is right" });
        if (outcome.kind === "missing")
          refused.push({ unit, code: "missing", message: `${outcome.path} is not there`, fix: "put it back" });
      }
      return { ...done, refused };
    },
    withdrawRules: async () => done,
    withdrawFiles: async () => done,
  };
}

type Known = Map<string, Pick<OutputFile, "sizeBytes" | "checksum">>;

/**
 * The outputs of the local catalog: one JSON line per merged file, only ever appended. A line torn by a crash is
 * passed over (its unit is still owed and comes again) and the next line starts on a line of its own.
 */
export class LocalLedger {
  readonly #path: string;
  #known: Known | null = null;
  #readBytes = 0;
  /** One writer at a time, so that "is it known?" and "append" are one step. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  register(request: string, unit: string, outputs: readonly OutputFile[]): Promise<RegisterOutcome> {
    const mine = this.#turn.then(() => this.#register(request, unit, outputs));
    this.#turn = mine.catch(() => {});
    return mine;
  }

  async #register(request: string, unit: string, outputs: readonly OutputFile[]): Promise<RegisterOutcome> {
    const known = await this.#load();
    let adopted = 0;
    const lines: string[] = [];
    for (const output of outputs) {
      const before = known.get(output.lfn);
      if (before) {
        if (before.checksum !== output.checksum || before.sizeBytes !== output.sizeBytes) {
          const message = `${output.lfn} is in the ledger already, with another size or checksum`;
          return { kind: "conflict", lfn: output.lfn, message };
        }
        adopted += 1;
        continue;
      }
      const size = await sizeOf(output.path);
      if (size === null) return { kind: "missing", path: output.path };
      if (size !== output.sizeBytes) {
        const message = `${output.path} has ${size} bytes, its unit promised ${output.sizeBytes}`;
        return { kind: "conflict", lfn: output.lfn, message };
      }
      lines.push(stringify({ request, unit, ...output }));
    }
    if (lines.length) await this.#append(lines);
    for (const { lfn, sizeBytes, checksum } of outputs) known.set(lfn, { sizeBytes, checksum });
    return { kind: "registered", adopted };
  }

  /** Reads the file once; again only when somebody else made it grow. */
  async #load(): Promise<Known> {
    const size = (await sizeOf(this.#path)) ?? 0;
    if (this.#known && size === this.#readBytes) return this.#known;
    this.#known = new Map();
    this.#readBytes = size;
    for (const line of ((await readIfThere(this.#path)) ?? "").split("\n")) {
      const row = parseJson(line);
      if (!row.ok || row.value === null || typeof row.value !== "object") continue;
      const { lfn, sizeBytes, checksum } = row.value as Record<string, unknown>;
      if (typeof lfn === "string" && typeof sizeBytes === "number" && typeof checksum === "string") {
        this.#known.set(lfn, { sizeBytes, checksum });
      }
    }
    return this.#known;
  }

  async #append(lines: readonly string[]): Promise<void> {
    const known = this.#known;
    this.#known = null; // until it is surely written
    await orUnwritable(this.#path, async () => {
      await mkdir(dirname(this.#path), { recursive: true });
      const handle = await open(this.#path, "a+");
      try {
        const text = `${(await endsInMidLine(handle)) ? "\n" : ""}${lines.join("\n")}\n`;
        await handle.appendFile(text);
        await handle.sync();
        this.#readBytes = (await handle.stat()).size;
      } finally {
        await handle.close();
      }
    });
    this.#known = known;
  }
}

async function endsInMidLine(handle: Awaited<ReturnType<typeof open>>): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== 10;
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw unwritable(path, error);
  }
}
