import { TRANSFER_STEPS, type TransferOutput, type TransferStep } from "../../../core/transfers.ts";

/** What is left to do for the output of a segment, as frepp's stager keeps it: lines of csh that are read here, and never run. */
export interface TransferArguments {
  /** In this order, each only after the ones before. */
  readonly actions: readonly { readonly name: TransferStep; readonly isOn: boolean; readonly isDone: boolean }[];
  readonly saves: Tries;
  readonly transfers: Tries;
  /** Lines that are neither settings nor counters. */
  readonly notUnderstood: number;
}
interface Tries {
  /** Failed so far; −1: it will not help to try again. */
  readonly failed: number;
  /** As long as no more than these have failed, it is tried again. */
  readonly limit: number;
}

const VARIABLES = { combine: "Combine", check: "Check", save: "Save", transfer: "Xfer", start: "PPStart" } as const;
const LIMITS = { save: 4, transfer: 6 };

export interface ArgumentName {
  readonly run: string;
  /** Of the segment's first day, as in the names of its history. */
  readonly date: string;
  readonly output: TransferOutput;
}
const OUTPUTS = { A: "ascii", R: "restart", H: "history" } as const;

/** `CM5.o2392699.output.stager.19700101.H.args`; null: it is no argument file. */
export function readArgumentName(name: string): ArgumentName | null {
  const [, run, date, letter] = /^(.+)\.output\.stager\.(\d{8,10})\.([ARH])\.args$/s.exec(name) ?? [];
  if (run === undefined || date === undefined) return null;
  return { run, date, output: OUTPUTS[letter as keyof typeof OUTPUTS] };
}

/** Its jobs are called like the file: S saves, T transfers. */
export const jobNames = (file: string): readonly string[] => {
  const name = file.replace(/\.args$/, "");
  return [name, `${name}S`, `${name}T`];
};

const SET = /^set\s+(?:-[rfl]\s+)?([A-Za-z_]\w*)(?:\s*=\s*(.*))?$/;
const COUNT = /^@\s*([A-Za-z_]\w*)\s*(\+\+|--|=|\+=|-=)\s*(-?\d{1,9})?$/;

/** Understands any text: later lines count more than earlier ones. */
export function readArguments(text: string): TransferArguments {
  const values = new Map<string, string>();
  let notUnderstood = 0;
  for (const raw of text.split("\n")) {
    const line = raw.replace(/(^|\s)#.*$/, "").trim();
    const [, name, value] = SET.exec(line) ?? [];
    const [, counter, sign, operand] = COUNT.exec(line) ?? [];
    if (name !== undefined) values.set(name, unquoted(value ?? "1"));
    else if (counter !== undefined) values.set(counter, String(counted(values.get(counter), sign!, operand)));
    else if (line !== "") notUnderstood += 1;
  }
  const number = (name: string, other: number): number => {
    const value = values.get(name) ?? "";
    return /^-?\d{1,9}$/.test(value) ? Number(value) : other;
  };
  const tries = (name: string, limit: number) => ({
    failed: Math.max(-1, number(`${name}Retry`, 0)),
    limit: Math.max(0, number(`${name}Retries`, limit)),
  });
  return {
    actions: TRANSFER_STEPS.map((step) => ({
      name: step,
      isOn: number(`action${VARIABLES[step]}On`, 0) !== 0,
      isDone: number(`action${VARIABLES[step]}Ok`, 0) !== 0,
    })),
    saves: tries("save", LIMITS.save),
    transfers: tries("xfer", LIMITS.transfer),
    notUnderstood,
  };
}

const unquoted = (text: string): string => /^(['"])(.*)\1$/s.exec(text)?.[2] ?? text;

function counted(before: string | undefined, sign: string, operand: string | undefined): number {
  const [value, by] = [Number(before) || 0, Number(operand ?? 1)];
  return sign === "=" ? by : sign.startsWith("+") ? value + by : value - by;
}
