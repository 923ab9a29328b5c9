/**
 * The file behind JOBSTATE_LOG (23.9.6): append-only lines `epoch node EVENT jobid|code|- tag - seq`, and
 * `epoch INTERNAL *** DAGMAN_STARTED 22.0 ***`. Read from the last byte offset on; a torn last line waits.
 */
export interface JobstateLine {
  readonly at: number;
  /** null: DAGMan speaks of itself. */
  readonly node: string | null;
  readonly event: string;
  /** "28.0", "0" or "-1002": the job's id, or the code of JOB_SUCCESS and JOB_FAILURE. */
  readonly value: string | null;
  readonly sequence: number | null;
}
export interface JobstateChunk {
  readonly lines: readonly JobstateLine[];
  readonly consumed: number;
  readonly problems: readonly string[];
}

export function parseJobstate(bytes: Uint8Array): JobstateChunk {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const consumed = buffer.lastIndexOf(10) + 1;
  const lines: JobstateLine[] = [];
  const problems: string[] = [];
  for (const raw of buffer.toString("utf8", 0, consumed).split("\n")) {
    const line = raw.trim();
    if (line === "") continue;
    const parsed = parseLine(line);
    if (parsed) lines.push(parsed);
    else if (problems.length < 100) problems.push(line.slice(0, 200));
  }
  return { lines, consumed, problems };
}

function parseLine(line: string): JobstateLine | null {
  const internal = /^(\d+) INTERNAL \*\*\* (\w+)(?: (\S+))? \*\*\*$/.exec(line);
  if (internal) {
    return { at: Number(internal[1]), node: null, event: internal[2]!, value: internal[3] ?? null, sequence: null };
  }
  const [at, node, event, value, , , sequence] = line.split(/\s+/);
  if (!/^\d+$/.test(at ?? "") || node === undefined || !/^[A-Z_]+$/.test(event ?? "")) return null;
  return {
    at: Number(at),
    node,
    event: event!,
    value: value === undefined || value === "-" ? null : value,
    sequence: /^\d+$/.test(sequence ?? "") ? Number(sequence) : null,
  };
}
