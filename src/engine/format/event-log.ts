import { type Ad, type AdValue, attribute, numberOf, parseLongAds, textOf } from "./classad.ts";

/**
 * Event logs (`log =` of a submit file, <dag>.nodes.log, <dag>.dagman.log) as HTCondor 23.9.6 writes them: an event begins with
 * `NNN (cluster.proc.sub) date time words`, ends with a line `...`. The log grows while it is read: give the bytes from the last
 * offset on, and add `consumed` to it. An event whose `...` is not yet there is left for the next time.
 */
export const EVENT_KINDS = {
  0: "submit",
  1: "execute",
  2: "executable-error",
  3: "checkpointed",
  4: "evicted",
  5: "terminated",
  6: "image-size",
  7: "shadow-exception",
  8: "generic",
  9: "aborted",
  10: "suspended",
  11: "unsuspended",
  12: "held",
  13: "released",
  14: "parallel-execute",
  15: "parallel-terminated",
  16: "post-terminated",
  21: "remote-error",
  22: "disconnected",
  23: "reconnected",
  24: "reconnect-failed",
  27: "grid-submit",
  28: "job-ad",
} as const;
export type EventKind = (typeof EVENT_KINDS)[keyof typeof EVENT_KINDS] | "other";

export interface JobEvent {
  readonly number: number;
  readonly kind: EventKind;
  readonly cluster: number;
  readonly proc: number;
  /** "2026-11-15 19:31:35", in the zone of the submit host. */
  readonly at: string;
  /** The DAG node, from the notes of a submit event. */
  readonly node: string | null;
  /** From an execute event: `ulog_execute_attrs = GLIDEIN_CMSSite`. */
  readonly site: string | null;
  readonly slot: string | null;
  readonly exit: JobExit | null;
  readonly hold: { readonly code: number; readonly subcode: number } | null;
  /** Why it was held, aborted, released or evicted, in HTCondor's words. */
  readonly reason: string | null;
  /** The attributes of an execute (001) or job-ad event (028). */
  readonly attributes: Ad;
}
export type JobExit = { readonly code: number } | { readonly signal: number };

export interface EventChunk {
  readonly events: readonly JobEvent[];
  /** Bytes that need not be read again. */
  readonly consumed: number;
  readonly problems: readonly string[];
}

const HEADER =
  /^(\d{3}) \((-?\d+)\.(-?\d+)\.-?\d+\) (\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d|\d\d\/\d\d \d\d:\d\d:\d\d)\S* ?(.*)$/;
const REASONED: readonly EventKind[] = ["held", "aborted", "released", "shadow-exception", "reconnect-failed"];
const EMPTY_AD: Ad = new Map();

export function parseEvents(bytes: Uint8Array): EventChunk {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const consumed = endOfLastEvent(buffer);
  const events: JobEvent[] = [];
  const problems: string[] = [];
  let lines: string[] = [];
  for (const raw of buffer.toString("utf8", 0, consumed).split("\n")) {
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    if (line !== "...") {
      lines.push(line);
      continue;
    }
    const event = parseEvent(lines);
    if (event) events.push(event);
    else if (problems.length < 100) problems.push(`no event: ${lines.join(" ").trim().slice(0, 200)}`);
    lines = [];
  }
  return { events, consumed, problems };
}

/** Just past the last line that is `...` and has its newline. */
function endOfLastEvent(buffer: Buffer): number {
  for (let at = buffer.length; at > 0; ) {
    const dots = buffer.lastIndexOf("...", at - 1);
    if (dots < 0) return 0;
    const startsLine = dots === 0 || buffer[dots - 1] === 10;
    const after = buffer[dots + 3] === 13 ? dots + 4 : dots + 3;
    if (startsLine && buffer[after] === 10) return after + 1;
    at = dots;
  }
  return 0;
}

function parseEvent(lines: readonly string[]): JobEvent | null {
  const first = lines.findIndex((line) => line !== "");
  const header = first < 0 ? null : HEADER.exec(lines[first]!);
  if (!header) return null;
  const number = Number(header[1]);
  const kind: EventKind = (EVENT_KINDS as Record<number, EventKind>)[number] ?? "other";
  const body = lines.slice(first + 1);
  const attributes = kind === "execute" || kind === "job-ad" ? parseLongAds(body.join("\n")).ads[0] : undefined;
  return {
    number,
    kind,
    cluster: Number(header[2]),
    proc: Number(header[3]),
    at: header[4]!,
    node: body.map((line) => /^\s*DAG Node: (.+)$/.exec(line)?.[1]?.trim()).find((name) => name) ?? null,
    site: siteOf(attributes),
    slot: body.map((line) => /^\s*SlotName: (.+)$/.exec(line)?.[1]).find((name) => name) ?? null,
    exit: exitOf(kind, body, attributes),
    hold: holdOf(kind, body, attributes),
    reason: reasonOf(kind, body, attributes),
    attributes: attributes ?? EMPTY_AD,
  };
}

/** 028 repeats the execute event's attributes one level down. */
function siteOf(ad: Ad | undefined): string | null {
  if (!ad) return null;
  const props: AdValue | undefined = attribute(ad, "ExecuteProps");
  return textOf(
    attribute(ad, "GLIDEIN_CMSSite") ?? (props instanceof Map ? attribute(props, "GLIDEIN_CMSSite") : undefined),
  );
}

function exitOf(kind: EventKind, body: readonly string[], ad: Ad | undefined): JobExit | null {
  if (kind === "job-ad" && ad) {
    const signal = numberOf(attribute(ad, "ExitSignal")) ?? numberOf(attribute(ad, "TerminatedBySignal"));
    if (signal !== null) return { signal };
    const code = numberOf(attribute(ad, "ExitCode")) ?? numberOf(attribute(ad, "ReturnValue"));
    return code === null ? null : { code };
  }
  if (kind !== "terminated" && kind !== "post-terminated") return null;
  for (const line of body) {
    const code = /Normal termination \(return value (-?\d+)\)/.exec(line);
    if (code) return { code: Number(code[1]) };
    const signal = /Abnormal termination \(signal (\d+)\)/.exec(line);
    if (signal) return { signal: Number(signal[1]) };
  }
  return null;
}

function holdOf(kind: EventKind, body: readonly string[], ad: Ad | undefined): JobEvent["hold"] {
  if (kind === "job-ad" && ad) {
    const code = numberOf(attribute(ad, "HoldReasonCode"));
    return code === null ? null : { code, subcode: numberOf(attribute(ad, "HoldReasonSubCode")) ?? 0 };
  }
  if (kind !== "held") return null;
  for (const line of body) {
    const match = /^\s*Code (\d+) Subcode (-?\d+)/.exec(line);
    if (match) return { code: Number(match[1]), subcode: Number(match[2]) };
  }
  return null;
}

function reasonOf(kind: EventKind, body: readonly string[], ad: Ad | undefined): string | null {
  if (kind === "job-ad" && ad) return textOf(attribute(ad, "HoldReason"));
  if (!REASONED.includes(kind)) return null;
  const words = body.map((line) => line.trim()).filter((line) => line !== "" && !/^Code \d+ Subcode/.test(line));
  return words[0] ?? null;
}
