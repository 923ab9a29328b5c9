import type { Cause } from "./attempt.ts";

/** Numbers every part of the retry brain shares: short codes, signals, and what a code says of the cause. */

/**
 * code & 0xff → the long code it stands for, where that is the likelier meaning. Left out: what is a signal
 * (129, 132–136, 143) and what has a meaning of its own (70–74). 81 could be 8017 too, 90 could be 7002, 190 71102,
 * 193 71105, 231 99303.
 */
export const ALIASES: Readonly<Record<number, number>> = {
  50: 10034,
  53: 8501,
  56: 10040,
  65: 8001,
  66: 8002,
  67: 8003,
  68: 8004,
  81: 50513,
  84: 8020,
  85: 8021,
  86: 8022,
  87: 8023,
  90: 8026,
  92: 8028,
  94: 8030,
  95: 8031,
  96: 8032,
  97: 8033,
  128: 80000,
  147: 60307,
  151: 60311,
  155: 60315,
  157: 60317,
  190: 50110,
  193: 50113,
  195: 50115,
  228: 50660,
  229: 50661,
  230: 50662,
  231: 50663,
  232: 50664,
  233: 50665,
  234: 50666,
  237: 50669,
  243: 60403,
};

export const SIGNAL_NAMES: Readonly<Record<number, string>> = {
  1: "SIGHUP",
  2: "SIGINT",
  3: "SIGQUIT",
  4: "SIGILL",
  5: "SIGTRAP",
  6: "SIGABRT",
  7: "SIGBUS",
  8: "SIGFPE",
  9: "SIGKILL",
  10: "SIGUSR1",
  11: "SIGSEGV",
  12: "SIGUSR2",
  13: "SIGPIPE",
  14: "SIGALRM",
  15: "SIGTERM",
  16: "SIGSTKFLT",
  24: "SIGXCPU",
  25: "SIGXFSZ",
  26: "SIGVTALRM",
  30: "SIGPWR",
  31: "SIGSYS",
};

/** Signals that end processes in practice, so that 128+n means one. 128+19, 23, 27, 29 are stage-out codes instead. */
export const isKillingSignal = (signal: number): boolean => SIGNAL_NAMES[signal] !== undefined;

const CAUSE_BY_CODE: Readonly<Record<number, Cause>> = {
  8004: "oom",
  8030: "oom",
  8031: "oom",
  8032: "walltime",
  8033: "disk",
  50115: "missing_report",
  50660: "oom",
  50661: "oom",
  50662: "disk",
  50664: "walltime",
  60302: "missing_output",
  60450: "missing_output",
  71304: "walltime",
  99303: "missing_report",
  99996: "missing_report",
  99997: "missing_report",
  99998: "missing_report",
};
export const causeOfCode = (code: number): Cause => CAUSE_BY_CODE[code] ?? "exit";

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get through
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/** Text from outside as part of a sentence: one line, no control characters, not endless. */
export function oneLine(text: string, longest: number): string {
  const line = text
    .slice(0, longest * 4)
    .replaceAll(CONTROL, " ")
    .trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`;
}
