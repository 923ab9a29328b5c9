import { localTime, quoteAd } from "./bookkeeping-text.ts";

/** Events of a job's `log =` file in HTCondor 23.9.6's format: bin/elect, bin/post and the reader know it. */
export type JobEventFacts =
  | { readonly kind: "submit"; readonly node: string }
  | {
      readonly kind: "execute";
      readonly site: string;
      readonly cpus: number;
      readonly memoryMb: number;
      readonly scratch: string;
      readonly siteAsked: boolean;
    }
  | { readonly kind: "evicted"; readonly why: string }
  | { readonly kind: "terminated"; readonly code: number; readonly usage: Usage }
  | { readonly kind: "aborted"; readonly why: string }
  | { readonly kind: "held"; readonly why: string; readonly code: number; readonly subcode: number }
  | { readonly kind: "post"; readonly node: string; readonly code: number };

export interface Usage {
  readonly userSec: number;
  readonly systemSec: number;
  readonly wallSec: number;
  readonly memoryMb: number | null;
  readonly cpus: number;
  readonly requestedMb: number;
}

const NUMBERS: Record<JobEventFacts["kind"], string> = {
  submit: "000",
  execute: "001",
  evicted: "004",
  terminated: "005",
  aborted: "009",
  held: "012",
  post: "016",
};

export function renderEvent(cluster: number, at: Date, event: JobEventFacts): string {
  const head = `${NUMBERS[event.kind]} (${String(cluster).padStart(3, "0")}.000.000) ${localTime(at)} `;
  return `${head}${body(event, at)}...\n`;
}

function body(event: JobEventFacts, at: Date): string {
  switch (event.kind) {
    case "submit":
      return `Job submitted from host: <127.0.0.1:0?local>\n    DAG Node: ${event.node}\n`;
    case "execute": {
      const site = event.siteAsked ? `\tGLIDEIN_CMSSite = ${quoteAd(event.site)}\n` : "";
      return (
        `Job executing on host: <127.0.0.1:0?local>\n\tSlotName: slot1@${event.site}\n` +
        `\tCondorScratchDir = ${quoteAd(event.scratch)}\n\tCpus = ${event.cpus}\n${site}\tMemory = ${event.memoryMb}\n`
      );
    }
    case "evicted":
      return `Job was evicted.\n\t(0) CPU times\n\t${event.why}\n`;
    case "terminated":
      return `Job terminated.\n${ending(event.code)}${usage(event.usage)}${accord(event.code, at)}`;
    case "aborted":
      return `Job was aborted.\n\t${event.why}\n`;
    case "held":
      return `Job was held.\n\t${event.why}\n\tCode ${event.code} Subcode ${event.subcode}\n`;
    case "post":
      return `POST Script terminated.\n${ending(event.code)}    DAG Node: ${event.node}\n`;
  }
}

function ending(code: number): string {
  if (code < 0) return `\t(0) Abnormal termination (signal ${-code})\n\t(0) No core file\n`;
  return `\t(1) Normal termination (return value ${code})\n`;
}

function accord(code: number, at: Date): string {
  const how = code < 0 ? `signal ${-code}` : `exit-code ${code}`;
  return `\n\tJob terminated of its own accord at ${at.toISOString().slice(0, 19)}Z with ${how}.\n`;
}

function usage(used: Usage): string {
  const cpu = `Usr ${span(used.userSec)}, Sys ${span(used.systemSec)}`;
  const zero = "Usr 0 00:00:00, Sys 0 00:00:00";
  const right = (value: number | null, width: number): string => String(value ?? "").padStart(width);
  return (
    `\t\t${cpu}  -  Run Remote Usage\n\t\t${zero}  -  Run Local Usage\n` +
    `\t\t${cpu}  -  Total Remote Usage\n\t\t${zero}  -  Total Local Usage\n` +
    "\t0  -  Run Bytes Sent By Job\n\t0  -  Run Bytes Received By Job\n" +
    "\t0  -  Total Bytes Sent By Job\n\t0  -  Total Bytes Received By Job\n" +
    "\tPartitionable Resources :    Usage  Request Allocated \n" +
    `\t   Cpus                 : ${right(null, 8)} ${right(used.cpus, 8)} ${right(used.cpus, 9)} \n` +
    `\t   Memory (MB)          : ${right(used.memoryMb, 8)} ${right(used.requestedMb, 8)} ${right(used.requestedMb, 9)} \n` +
    `\t   TimeExecute (s)      : ${right(Math.round(used.wallSec), 8)}                    \n`
  );
}

function span(seconds: number): string {
  const whole = Math.floor(seconds);
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${Math.floor(whole / 86400)} ${two(Math.floor(whole / 3600) % 24)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
}
