import { HEAD } from "./engine-runs.ts";

/**
 * DAGs from a seed, with every outcome scripted by attempt, so that any engine must come to the same end whatever its timing: same
 * states, same retries, same rescue files, the same number of executions of every PRE, job and POST.
 */
export interface GeneratedDag {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** Some jobs wait for the file `go`: stop the run when nothing else moves, and resume it with `go`. */
  readonly stops: boolean;
  /** Nodes that are no units, at any depth. */
  readonly nodes: number;
}

/** mulberry32: small, and the same on every machine. */
class Dice {
  private state: number;
  constructor(seed: number) {
    this.state = seed >>> 0;
  }
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
  below(n: number): number {
    return Math.floor(this.next() * n);
  }
  chance(p: number): boolean {
    return this.next() < p;
  }
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }
}

/** Codes by attempt; the last one repeats. Mostly fine, often fixed by a retry or a rescue, sometimes hopeless. */
const OUTCOMES = [..."00000000", "1 0", "1 0", "2 1 0", "1 1 1 1 0", "42 0", "1 42 0", "7"];
/** For runs that are to be stopped in their middle. */
const GENTLE = [..."0000", "1 0", "2 1 0"];

interface Shape {
  readonly prefix: string;
  readonly scripts: string;
  readonly size: number;
  readonly chain: boolean;
  readonly waits: boolean;
  readonly abort: { code: number; returns: number } | null;
  readonly nodeFile: string;
}

function nodeLines(dice: Dice, shape: Shape, name: string, abortHere: boolean): string[] {
  const key = `${shape.prefix}${name}`;
  const outcomes = shape.waits ? GENTLE : OUTCOMES;
  const real = dice.chance(shape.waits ? 0.6 : 0.3);
  const lines = [real ? `JOB ${name} ${shape.nodeFile}` : `JOB ${name} none NOOP`];
  if (real) {
    const codes = shape.waits && dice.chance(0.5) ? "wait" : dice.pick(outcomes);
    lines.push(`VARS ${name} key="${key}" codes="${codes}"`);
  }
  if (dice.chance(0.25)) {
    const defers = dice.chance(0.3);
    const codes = defers ? dice.pick(["44 0", "44 44 0", "44 1 0"]) : dice.pick(outcomes);
    lines.push(`SCRIPT ${defers ? "DEFER 44 1 " : ""}PRE ${name} ${shape.scripts} pre.${key} ${codes}`);
  }
  if (abortHere)
    lines.push(`SCRIPT POST ${name} ${shape.scripts} post.${key} ${dice.pick(["", "1 "])}${shape.abort!.code} 0`);
  else if (dice.chance(real ? 0.3 : 0.6)) {
    const defers = dice.chance(0.15);
    const codes = defers ? dice.pick(["44 0", "44 3 0"]) : dice.pick(outcomes);
    lines.push(`SCRIPT ${defers ? "DEFER 44 1 " : ""}POST ${name} ${shape.scripts} post.${key} ${codes}`);
  }
  if (dice.chance(0.6)) lines.push(`RETRY ${name} ${1 + dice.below(3)}${dice.chance(0.5) ? " UNLESS-EXIT 42" : ""}`);
  if (abortHere) lines.push(`ABORT-DAG-ON ${name} ${shape.abort!.code} RETURN ${shape.abort!.returns}`);
  if (!shape.waits && dice.chance(0.3)) lines.push(`CATEGORY ${name} few`);
  if (dice.chance(0.2)) lines.push(`PRIORITY ${name} ${dice.below(20)}`);
  return lines;
}

function dagLines(dice: Dice, shape: Shape, units: readonly string[]): string[] {
  const names = [...Array.from({ length: shape.size }, (_, i) => `n${i}`), ...units];
  const abortAt = shape.abort ? dice.below(shape.size) : -1;
  const lines = names.flatMap((name, i) => {
    if (i < shape.size) return nodeLines(dice, shape, name, i === abortAt);
    const unit = [`SUBDAG EXTERNAL ${name} group.dag DIR ${name}`];
    if (dice.chance(0.4)) unit.push(`RETRY ${name} ${1 + dice.below(2)}`);
    return unit;
  });
  for (let child = 1; child < names.length; child++) {
    if (shape.chain) lines.push(`PARENT ${names[child - 1]} CHILD ${names[child]}`);
    else
      for (let parent = 0; parent < child; parent++) {
        if (dice.chance(0.3)) lines.push(`PARENT ${names[parent]} CHILD ${names[child]}`);
      }
  }
  lines.push("MAXJOBS few 1");
  return lines;
}

const countJobs = (files: Readonly<Record<string, string>>): number =>
  Object.values(files).reduce((sum, text) => sum + (text.match(/^JOB /gm)?.length ?? 0), 0);

/** One DAG per seed; what kind follows from the seed: plain, nested, aborting (a chain: nothing runs beside it), stopped. */
export function generateDag(seed: number): GeneratedDag {
  const dice = new Dice(seed * 7919 + 17);
  const kind = (["plain", "nested", "abort", "stopped"] as const)[seed % 4]!;
  const nested = kind === "nested" || (kind === "stopped" && dice.chance(0.4));
  const units = nested ? Array.from({ length: 1 + dice.below(2) }, (_, i) => `mg_00000${i}`) : [];
  const waits = kind === "stopped";
  const abort = kind === "abort" ? { code: 43, returns: dice.pick([0, 1, 2]) } : null;
  const base = { scripts: "@DIR@/step", chain: kind === "abort" || dice.chance(0.2), waits };
  const size = 2 + dice.below(5);
  const top = dagLines(dice, { ...base, prefix: "", size, abort, nodeFile: "real.sub" }, units);
  const files: Record<string, string> = { "workflow.dag": `${HEAD}${top.join("\n")}\n` };
  for (const unit of units) {
    const shape = { ...base, prefix: `${unit}.`, size: 1 + dice.below(3), abort: null, nodeFile: "../real.sub" };
    const inner = dagLines(dice, shape, []);
    files[`${unit}/group.dag`] = `NODE_STATUS_FILE group.dag.status 1\n${inner.join("\n")}\n`;
  }
  return { name: `seed ${seed} (${kind})`, files, stops: waits, nodes: countJobs(files) };
}

/** Every part of a node fails once at every place of a chain, with and without a retry to fix it: one DAG of many chains. */
export function everyPosition(): GeneratedDag {
  const lines: string[] = [];
  for (const retry of [0, 1]) {
    for (const place of [0, 1, 2]) {
      for (const part of ["pre", "job", "post"]) {
        const chain = [0, 1, 2].map((i) => `${part}${place}r${retry}_${i}`);
        chain.forEach((name, i) => {
          const codes = (which: string): string => (i === place && part === which ? "5 0" : "0");
          const real = i === place && part === "job";
          lines.push(real ? `JOB ${name} real.sub` : `JOB ${name} none NOOP`);
          if (real) lines.push(`VARS ${name} codes="${codes("job")}"`);
          lines.push(`SCRIPT PRE ${name} @DIR@/step pre.${name} ${codes("pre")}`);
          // A POST hides what its job did, so the node whose job fails has none.
          if (!real) lines.push(`SCRIPT POST ${name} @DIR@/step post.${name} ${codes("post")}`);
          if (retry > 0) lines.push(`RETRY ${name} ${retry}`);
        });
        lines.push(`PARENT ${chain[0]} CHILD ${chain[1]}`, `PARENT ${chain[1]} CHILD ${chain[2]}`);
      }
    }
  }
  const files = { "workflow.dag": `${HEAD}${lines.join("\n")}\n` };
  return { name: "a failure at every position", files, stops: false, nodes: countJobs(files) };
}

/** A graph of jobs in layers, with barriers between some of them, retries, failures and limits. Most nodes do nothing, so that many fit. */
export function generateGraph(seed: number, size: number): GeneratedDag {
  const dice = new Dice(seed * 104_729 + 5);
  const name = (index: number): string => `job_${String(index).padStart(6, "0")}`;
  const lines: string[] = [];
  const layers: number[][] = [];
  for (let index = 0; index < size; ) {
    const width = Math.min(size - index, 1 + dice.below(Math.max(4, Math.ceil(size / 8))));
    layers.push(Array.from({ length: width }, () => index++));
  }
  for (const index of layers.flat()) {
    const job = name(index);
    lines.push(`JOB ${job} none DIR part_${String(Math.floor(index / 1000)).padStart(3, "0")} NOOP`);
    if (dice.chance(Math.min(0.5, 60 / size)))
      lines.push(`SCRIPT POST ${job} @DIR@/step post.${job} ${dice.pick(OUTCOMES)}`);
    if (dice.chance(0.6)) lines.push(`RETRY ${job} ${1 + dice.below(3)} UNLESS-EXIT 42`);
    if (dice.chance(0.2)) lines.push(`CATEGORY ${job} group_0`);
    if (dice.chance(0.1)) lines.push(`PRIORITY ${job} ${dice.below(20)}`);
  }
  for (const [at, layer] of layers.entries()) {
    const before = (layers[at - 1] ?? []).filter(() => dice.chance(0.5)).map(name);
    if (before.length === 0) continue;
    if (dice.chance(0.5) && before.length > 1) {
      lines.push(`JOB barrier_${at} noop.sub NOOP`, `PARENT ${before.join(" ")} CHILD barrier_${at}`);
      lines.push(`PARENT barrier_${at} CHILD ${layer.map(name).join(" ")}`);
    } else for (const child of layer) lines.push(`PARENT ${dice.pick(before)} CHILD ${name(child)}`);
  }
  const files: Record<string, string> = { "workflow.dag": `${HEAD}${lines.join("\n")}\nMAXJOBS group_0 3\n` };
  for (let part = 0; part * 1000 < size; part++) files[`part_${String(part).padStart(3, "0")}/manifest.json`] = "{}\n";
  return { name: `graph ${seed} of ${size} jobs`, files, stops: false, nodes: size };
}
