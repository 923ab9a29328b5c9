const STAMP = /^\d\d\/\d\d\/\d\d \d\d:\d\d:\d\d(?:\.\d+)? (?:\([^)]*\) )*/;
const BANNER = /condor_scheduniv_exec\.(\d+)\.\d+ \(CONDOR_DAGMAN\) STARTING UP/i;
const EXIT = /condor_scheduniv_exec\.\d+\.\d+ \(condor_DAGMAN\) pid \d+ EXITING WITH STATUS (\d+)/i;

/**
 * What DAGMan says of itself in <dag>.dagman.out (23.9.6). The file grows over all runs of a DAG; only the part after the last
 * STARTING UP is of interest, and for a run that did not get far its tail holds all of it.
 */
export function parseDagmanOut(text: string) {
  /** The cluster of the last DAGMan that started, when its banner is within the text. */
  let cluster: string | null = null;
  let batchName: string | null = null;
  let exitStatus: number | null = null;
  let parseFailed = false;
  /** Its complaints, most telling first; empty: it had none. */
  let errors: string[] = [];
  for (const raw of text.split("\n")) {
    const line = raw.replace(STAMP, "").trim();
    const banner = BANNER.exec(line);
    if (banner) {
      cluster = banner[1]!;
      [batchName, exitStatus, parseFailed, errors] = [null, null, false, []];
      continue;
    }
    const exit = EXIT.exec(line);
    const batch = /^Workflow batch-name: <(.*)>$/.exec(line);
    if (exit) exitStatus = Number(exit[1]);
    else if (batch) batchName = batch[1]!;
    else if (/^Failed to parse /.test(line)) parseFailed = true;
    else if (isComplaint(line) && !errors.includes(line) && errors.length < 20) errors.push(line.slice(0, 1000));
  }
  return { cluster, batchName, exitStatus, parseFailed, errors };
}

function isComplaint(line: string): boolean {
  return /\bERROR\b/.test(line) && !/STATUS_ERROR|_IS_ERROR setting|ULOG_|-reason /.test(line);
}

/** <dag>.lib.out and .lib.err: what DAGMan's libraries said, without the greeting every run has. */
export function parseLibErr(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^Executing condor dagman/.test(line))
    .join("; ")
    .slice(0, 1000);
}
