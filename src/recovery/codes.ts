import type { Cause } from "./attempt.ts";

/** Numbers every part of the retry brain shares: short codes, signals, and what a code says of the cause. */

/**
 * Long codes a short one stands for, where that is the likelier meaning of code & 0xff. Left out: what is a signal
 * (129, 132–136, 143) and what has a meaning of its own (70–74). 81 could be 8017 too, 90 could be 7002, 190 71102,
 * 193 71105, 231 99303.
 */
const LONG_CODES = [
  8001, 8002, 8003, 8004, 8020, 8021, 8022, 8023, 8026, 8028, 8030, 8031, 8032, 8033, 8501, 10034, 10040, 50110, 50113,
  50115, 50513, 50660, 50661, 50662, 50663, 50664, 50665, 50666, 50669, 60307, 60311, 60315, 60317, 60403, 80000,
];
/** code & 0xff → the long code. */
export const ALIASES: Readonly<Record<number, number>> = Object.fromEntries(
  LONG_CODES.map((code) => [code & 0xff, code]),
);

// biome-ignore format: a table
const SIGNAL_NAMES: Readonly<Record<number, string>> = {
  1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
  9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM",
  16: "SIGSTKFLT", 24: "SIGXCPU", 25: "SIGXFSZ", 26: "SIGVTALRM", 30: "SIGPWR", 31: "SIGSYS",
};
export const signalName = (signal: number): string => SIGNAL_NAMES[signal] ?? `signal ${signal}`;

/** Signals that end processes in practice, so that 128+n means one. 128+19, 23, 27, 29 are stage-out codes instead. */
export const isKillingSignal = (signal: number): boolean => SIGNAL_NAMES[signal] !== undefined;

const CODES_OF_CAUSE: Partial<Record<Cause, readonly number[]>> = {
  oom: [8004, 8030, 8031, 50660, 50661],
  walltime: [8032, 50664, 71304],
  disk: [8033, 50662],
  missing_report: [50115, 99303, 99996, 99997, 99998],
  missing_output: [60302, 60450],
};
const CAUSE_OF_CODE = new Map(
  Object.entries(CODES_OF_CAUSE).flatMap(([cause, codes]) => codes.map((code) => [code, cause as Cause])),
);
export const causeOfCode = (code: number): Cause => CAUSE_OF_CODE.get(code) ?? "exit";
