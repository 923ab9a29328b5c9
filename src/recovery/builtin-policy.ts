import type { Category } from "./attempt.ts";
import type { PolicyRow, RowMatch, RowSays } from "./policy.ts";

/**
 * The built-in table: what is known of exit codes, signals and holds (CMSSW, the agents and wrappers around it,
 * HTCondor, the shell), and what to do about each. Data; an installation changes it row by row, by id.
 */
const ONCE: RowSays = { action: "retry", maxRetries: 1, delay: "backoff" };
const STOP: RowSays = { action: "stop" };
const RETRY: RowSays = { action: "retry", delay: "fixed" };
const SOON: RowSays = { action: "retry", delay: "backoff" };
const ELSEWHERE: RowSays = { action: "retry", delay: "fixed", changeSite: true, triesPerSite: 2 };
const MORE_MEMORY: RowSays = { action: "retry", delay: "none", memoryFactor: 1.3 };
const MORE_TIME: RowSays = { action: "retry", delay: "none", wallFactor: 1.3 };

const codes = (...list: number[]): RowMatch => ({ codes: list });
/** Short codes mean something else in ordinary programs than where a framework and its wrappers made them. */
const cms = (...list: number[]): RowMatch => ({ codes: list, speech: "cms" });
const ordinary = (...list: number[]): RowMatch => ({ codes: list, speech: "ordinary" });
const signals = (...list: number[]): RowMatch => ({ causes: ["signal"], signals: list });

type Entry = readonly [id: string, category: Category, match: RowMatch, says: RowSays, meaning: string];

// biome-ignore format: a table, one row a line
const application = (): readonly Entry[] => [
  ["bad-config", "permanent", codes(7000, 7001, 7002), STOP, "the command line or the configuration file cannot be used"],
  ["cms-exception", "permanent", codes(8001), STOP, "the framework raised an exception without a code of its own"],
  ["cvmfs-broken", "infrastructure", { codes: [8001], stderr: "[Cc][Vv][Mm][Ff][Ss].*(truncated|too short|Input/output error|Transport endpoint)|(file too short|truncated).*cvmfs" }, { ...ELSEWHERE, avoidHost: true }, "a file of the software area (CVMFS) is broken on that worker"],
  ["std-exception", "permanent", codes(8002, 8003, 8005), ONCE, "a C++ exception nobody caught"],
  ["bad-alloc", "transient", codes(8004), MORE_MEMORY, "memory was exhausted inside the program"],
  ["logic-error", "permanent", { codes: [8006, 8007, 8008, 8009], ranges: [[8010, 8014]] }, STOP, "a product, a dictionary or a parameter is missing, or the configuration contradicts itself"],
  ["event-trouble", "data", codes(8015, 8016), { ...ELSEWHERE, maxRetries: 1, fileProof: true }, "an event takes too long or is corrupt"],
  ["schedule-failure", "permanent", codes(8017, 8018), ONCE, "the schedule or the event processor failed"],
  ["file-in-path", "permanent", codes(8019), STOP, "a file of the release or of the sandbox is not found"],
  ["open-failed", "infrastructure", codes(8020), { ...ELSEWHERE, fileProof: true }, "an input file could not be opened"],
  ["read-failed", "infrastructure", codes(8021), { ...ELSEWHERE, fileProof: true }, "an input file was opened, but reading it failed"],
  ["root-error", "transient", codes(8022), { ...ELSEWHERE, fileProof: true }, "a fatal error of the input/output layer (ROOT)"],
  ["wrong-inputs", "permanent", codes(8023, 8026, 8027), STOP, "the input files do not fit each other, or are no event files"],
  ["wrong-identity", "data", codes(8034), STOP, "the name of an input file and its identifier inside differ"],
  ["fallback-failed", "infrastructure", codes(8028), { ...ELSEWHERE, fileProof: true }, "an input file could be opened neither locally nor through the fallback"],
  ["no-secondary-files", "permanent", codes(8029), STOP, "there are no files for the secondary (pile-up) input"],
  ["memory-check", "transient", codes(8030, 8031), MORE_MEMORY, "the program's own limit on memory was passed"],
  ["time-check", "transient", codes(8032), MORE_TIME, "the program's own limit on time was passed"],
  ["local-disk", "infrastructure", codes(8033), { ...ELSEWHERE, avoidHost: true }, "the output could not be written to the worker's disk"],
  ["no-accelerator", "infrastructure", codes(8035), ELSEWHERE, "the accelerator (GPU) the job needs is not there"],
  ["external-failure", "transient", codes(8036), RETRY, "an external service the program uses failed"],
  ["generator-failure", "permanent", codes(8501), STOP, "the event generator failed"],
  ["unexpected-end", "transient", codes(8901), RETRY, "the program ended unexpectedly"],
  ["asked-to-stop", "infrastructure", codes(9000), SOON, "the program was asked to stop (SIGINT or SIGUSR2)"],
];

// biome-ignore format: a table, one row a line
const wrapper = (): readonly Entry[] => [
  ["no-message", "infrastructure", cms(1), { ...RETRY, avoidHost: true, vague: true }, "it failed without saying why; often a bad worker"],
  ["raw-interrupt", "infrastructure", cms(2, 15, 30), { ...RETRY, vague: true }, "code 2, 15 or 30: the number of a signal that asks a job to stop (SIGINT, SIGTERM, SIGPWR)"],
  ["raw-kill", "infrastructure", cms(9), { ...RETRY, memoryFactor: 1.3, boostFrom: 2, vague: true }, "code 9: the number of SIGKILL"],
  ["raw-illegal", "infrastructure", cms(4), { ...ELSEWHERE, avoidHost: true, vague: true }, "code 4: the number of SIGILL"],
  ["raw-crash", "permanent", cms(5, 6, 7, 8, 11), { ...ONCE, vague: true }, "code 5, 6, 7, 8 or 11: the number of a signal that means a crash"],
  ["raw-cpu-limit", "transient", cms(24), { ...MORE_TIME, vague: true }, "code 24: the number of SIGXCPU, the limit on CPU time"],
  ["raw-file-limit", "permanent", cms(25), { ...STOP, vague: true }, "code 25: the number of SIGXFSZ, the limit on file size"],
  ["release-missing", "infrastructure", codes(10034), ELSEWHERE, "the software release is not at the site"],
  ["legacy-open-failed", "infrastructure", cms(64), ELSEWHERE, "a data file could not be opened"],
  ["bootstrap-arguments", "permanent", cms(70, 73), STOP, "the job was started with bad arguments, or its software environment cannot be set"],
  ["bootstrap-setup", "infrastructure", cms(71, 72, 74), ELSEWHERE, "the software area or the sandbox could not be set up on the worker"],
  ["setup-failed", "infrastructure", codes(50513), ELSEWHERE, "the software environment could not be set up: no working release"],
  ["cms-not-executable", "permanent", cms(126), { ...ONCE, avoidHost: true }, "the command is there but cannot be executed on that worker"],
  ["cms-not-found", "permanent", cms(127), { ...ONCE, avoidHost: true }, "the command was not found on that worker"],
  ["software-missing", "infrastructure", { codes: [10031, 10032], ranges: [[11003, 11005]] }, { ...ELSEWHERE, avoidHost: true }, "the software area, its environment script or python is missing on the worker"],
  ["config-generation", "infrastructure", codes(10040), RETRY, "the run-time configuration could not be made"],
  ["wrapper-unusable", "infrastructure", codes(10042, 10043), ELSEWHERE, "the wrapper's own libraries could not be used"],
  ["no-sandbox", "permanent", codes(11001, 11002), STOP, "the job was given no sandbox or no index"],
  ["bad-executable", "permanent", codes(50110, 50111, 50113), STOP, "the executable is missing, not executable, or got too few arguments"],
  ["no-job-report", "transient", codes(50115), { ...RETRY, memoryFactor: 1.3 }, "no valid report of the job: often a crash, or a kill for memory"],
  ["code-unknown", "transient", codes(50116), RETRY, "the program's exit code is not known"],
  ["no-directory", "infrastructure", codes(50117), { ...ELSEWHERE, avoidHost: true }, "the directory of the graph is not there, or cannot be entered, on that worker"],
  ["history-missing", "data", codes(50118), STOP, "history that a product is made of is not there, or has not arrived whole: it is made when that has come"],
  ["product-wrong", "permanent", codes(50119), SOON, "a product is too small, or has another number of time levels than its interval"],
  ["transfer-failed", "infrastructure", codes(50120), STOP, "a transfer of data failed: it is tried again later, with waits of its own"],
  ["chunk-missing", "data", codes(50121), STOP, "a chunk that a product is made of is not there, although it was made: it is made again"],
  ["stager-locked", "infrastructure", codes(50122), STOP, "frepp's stager has a lock on the transfer: it is left to it"],
  ["too-much-memory", "transient", codes(50660, 50661), { ...MORE_MEMORY, memoryFactor: 1.5, stopAtCap: true }, "the job used more memory than it asked for"],
  ["too-much-disk", "permanent", codes(50662), STOP, "the job used more disk than it asked for"],
  ["too-much-cpu", "permanent", codes(50663), STOP, "the job used more CPU than it asked for"],
  ["too-much-time", "transient", codes(50664), { ...MORE_TIME, stopAtCap: true }, "the job ran longer than it asked for"],
  ["idle-too-long", "infrastructure", codes(50665), STOP, "the job waited too long in the queue: no place fits it, so more sites are needed"],
  ["removed-unknown", "infrastructure", codes(50666, 50669), RETRY, "the batch system removed the job without a reason"],
  ["output-missing", "permanent", codes(60302, 60450, 60451), ONCE, "a declared output is missing, not reported, or has no checksum"],
  ["stage-out-failed", "infrastructure", codes(60307, 60311), RETRY, "copying the output to storage failed"],
  ["log-or-cleanup", "infrastructure", { codes: [60312, 60313, 60404, 60405], ranges: [[60407, 60409]] }, SOON, "collecting logs or cleaning up failed; the output itself is not at fault"],
  ["stage-out-setup", "permanent", codes(60315, 60318, 60319, 60401), ONCE, "stage-out could not be set up, or the name of the output cannot be made"],
  ["stage-out-stuck", "infrastructure", codes(60317), STOP, "a stuck transfer was ended by force"],
  ["storage-down", "infrastructure", codes(60321), RETRY, "the storage is down, refuses, or is full"],
  ["storage-full", "infrastructure", { codes: [60321], stderr: "[Aa]ll pools (are )?full|No space left on (remote )?storage" }, STOP, "all pools of the storage are full"],
  ["storage-refuses", "permanent", codes(60322, 60323), STOP, "writing to the storage is not authorised, or the quota is used up"],
  ["stage-out-other", "infrastructure", codes(60324), RETRY, "stage-out failed in another way"],
  ["stage-out-timeout", "infrastructure", codes(60403), { ...RETRY, wallFactor: 1.3 }, "copying the output took too long"],
  ["upload-or-lumis", "permanent", codes(70318, 70452), STOP, "the result does not pass its check, cannot be uploaded, or has no run and lumi"],
  ["merged-file-taken", "permanent", codes(70319), STOP, "another file stands at the merged file's place and was not replaced: if nothing needs it, move it away and resubmit"],
  ["no-site-allowed", "permanent", codes(71101), STOP, "the lists of sites leave none"],
  ["site-aborted", "infrastructure", codes(71102), STOP, "the only possible site is out of service"],
  ["site-draining", "infrastructure", codes(71103), { ...RETRY, delay: "long" }, "the only possible site is being drained"],
  ["no-description", "permanent", codes(71104, 71105), STOP, "the description of the job is missing or empty"],
  ["killed-unknown", "transient", codes(71300), SOON, "killed by the agent, reason unknown"],
  ["killed-site-status", "infrastructure", { ranges: [[71301, 71303]] }, { ...ELSEWHERE, delay: "backoff", triesPerSite: 1 }, "killed because its site went out of service"],
  ["agent-time-running", "transient", codes(71304), MORE_TIME, "the agent's limit on running time was passed"],
  ["agent-time-waiting", "infrastructure", { ranges: [[71305, 71307]] }, SOON, "the agent's limit on waiting was passed"],
  ["wrapper-internal", "transient", codes(80000, 80001, 90000), RETRY, "the wrapper failed inside, or set no code"],
  ["report-unparsable", "permanent", codes(89999), STOP, "the job's report could not be understood"],
  ["earlier-step", "transient", codes(99108), { ...ONCE }, "a step was skipped because an earlier one failed, and that one left no code"],
  ["step-executor", "infrastructure", codes(99109), RETRY, "the step's executor failed inside"],
  ["report-lost", "transient", { codes: [99303], ranges: [[99996, 99999]] }, RETRY, "the job's report is lost, unreadable or empty"],
  ["job-cache-missing", "infrastructure", codes(99304), RETRY, "the job's working area on the submit host is missing"],
  ["lumi-too-large", "permanent", codes(99305), STOP, "a single lumi section is too large for any job"],
  ["removed-by-hand", "infrastructure", codes(99400, 99401), RETRY, "a person or a policy of the batch system removed the job"],
];

/** What codes mean by the shell's custom and in sysexits.h, and what to try. docs/exit-codes.md shows the same. */
// biome-ignore format: a table, one row a line
const ordinaryPrograms = (): readonly Entry[] => [
  ["program-failed", "permanent", { causes: ["exit"], speech: "ordinary" }, { ...SOON, maxRetries: 2, vague: true }, "the program failed: its stderr says why"],
  ["wrong-usage", "permanent", ordinary(2), ONCE, "the program failed, often because of its arguments or a file it cannot read (argparse, grep, make): see its stderr"],
  ["not-executable", "permanent", ordinary(126), STOP, "the command cannot be executed: chmod +x it, and look at its first line (#!)"],
  ["not-found", "permanent", ordinary(127), STOP, "the command was not found: attach it to the request, or give its path; a program it calls may be missing too"],
  ["sysexit-input", "permanent", ordinary(64, 65, 66), STOP, "wrong arguments (64), input in a wrong format (65) or input that cannot be opened (66): fix the command or its input"],
  ["sysexit-name", "permanent", ordinary(67, 68), STOP, "a user (67) or a host (68) the program asked for does not exist"],
  ["sysexit-unavailable", "transient", ordinary(69, 71, 74, 75, 76), SOON, "a service is away (69, 76), the system or its disk refused (71, 74), or the program asks to be tried again (75)"],
  ["sysexit-internal", "permanent", ordinary(70), ONCE, "the program found a bug of its own: its stderr may say which"],
  ["sysexit-files", "permanent", ordinary(72, 73), ONCE, "a system file is missing (72) or an output file cannot be made (73): look at paths and free disk"],
  ["sysexit-refused", "permanent", ordinary(77, 78), STOP, "no permission (77) or a wrong configuration (78): a person has to change something"],
];

// biome-ignore format: a table, one row a line
const signalsAndCauses = (): readonly Entry[] => [
  ["asked-to-end", "infrastructure", signals(1, 2, 15), RETRY, "the batch system asked the job to end (SIGHUP, SIGINT, SIGTERM)"],
  ["illegal-instruction", "infrastructure", signals(4), { ...ELSEWHERE, avoidHost: true }, "the worker's processor does not know an instruction (SIGILL)"],
  ["illegal-instruction-abort", "infrastructure", { ...signals(6), stderr: "[Ii]llegal instruction" }, { ...ELSEWHERE, avoidHost: true }, "the worker's processor does not know an instruction, and the program aborted"],
  ["crash", "permanent", signals(3, 5, 6, 7, 8, 11, 31), ONCE, "the program crashed (SIGABRT, SIGSEGV, SIGFPE, SIGBUS and the like)"],
  ["killed", "infrastructure", signals(9), { ...RETRY, memoryFactor: 1.3, boostFrom: 2 }, "killed by SIGKILL without a word, often for memory"],
  ["cpu-limit", "transient", signals(24), MORE_TIME, "the limit on CPU time was passed (SIGXCPU)"],
  ["file-limit", "permanent", signals(25), STOP, "the limit on file size was passed (SIGXFSZ)"],
  ["other-signal", "transient", { causes: ["signal"] }, { ...ONCE, vague: true }, "killed by a signal no row knows"],
  ["memory", "transient", { causes: ["oom"] }, { ...MORE_MEMORY, memoryFactor: 1.5, stopAtCap: true }, "the job used more memory than it asked for"],
  ["walltime", "transient", { causes: ["walltime"] }, { ...MORE_TIME, stopAtCap: true }, "the job ran longer than it asked for"],
  ["disk", "permanent", { causes: ["disk"] }, STOP, "the job used more disk than it asked for"],
  ["hold-executable", "permanent", { holds: [[6]] }, { ...ONCE, avoidHost: true }, "the executable could not be started on the worker"],
  ["hold-output", "infrastructure", { holds: [[12]] }, RETRY, "the batch system could not bring the output back"],
  ["hold-input", "infrastructure", { holds: [[13]] }, RETRY, "the batch system could not bring the input to the worker"],
  ["hold-input-missing", "permanent", { holds: [[13, 2]] }, ONCE, "a file the job needs is not there to be sent"],
  ["held", "infrastructure", { causes: ["held"] }, RETRY, "the batch system held the job"],
  ["evicted", "infrastructure", { causes: ["evicted"] }, SOON, "the job was taken away without fault of its own"],
  ["node-lost", "infrastructure", { causes: ["node_lost"] }, { ...SOON, avoidHost: true }, "nobody knows what became of the job: its worker or its record is gone"],
  ["submit-failed", "infrastructure", { causes: ["submit_failed"] }, SOON, "the job was never started"],
  ["missing-output", "permanent", { causes: ["missing_output"] }, ONCE, "the job ended well but a declared output is missing"],
  ["forged-output", "permanent", { causes: ["forged_output"] }, STOP, "what the job says it made is not what was planned, or is not there"],
  ["missing-report", "transient", { causes: ["missing_report"] }, RETRY, "the job ended without proof of what it did"],
];

let rows: readonly PolicyRow[] | null = null;

/** Made when first asked for: a successful POST never needs it. */
export function builtinRows(): readonly PolicyRow[] {
  rows ??= [...application(), ...wrapper(), ...ordinaryPrograms(), ...signalsAndCauses()].map(
    ([id, category, match, says, meaning]) => ({
      id,
      layer: "built-in",
      source: "built-in",
      match,
      category,
      ...says,
      meaning,
    }),
  );
  return rows;
}
