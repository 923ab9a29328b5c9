import type { DagPlan, NodeResources } from "../../core/plan.ts";
import type { GpuKind } from "../../core/request.ts";
import { type NodeRole, ROLES, reports } from "../../core/roles.ts";
import { attemptFile, fromUnit, program, REPORT, RUN, TOP, UNIT } from "../names.ts";
import { classAdString } from "../quote.ts";
import type { RenderOptions } from "./options.ts";

/** One submit file per role serves all units: what differs between nodes comes from group.inc, read at each submission. */
export function submitFile(
  role: NodeRole,
  plan: DagPlan,
  options: RenderOptions,
  resources = plan.resources[role],
): string {
  const lines = [
    "universe = vanilla",
    ...(reports(role) ? worker(role) : LANDING),
    "should_transfer_files = YES",
    "when_to_transfer_output = ON_EXIT",
    `output = ${attemptFile(NODE, CLUSTER, "out")}`,
    `error = ${attemptFile(NODE, CLUSTER, "err")}`,
    `log = ${UNIT.log}`,
    ...requests(resources),
    `My.WMS2_Request = ${classAdString(plan.requestName)}`,
    `My.WMS2_Role = ${classAdString(role)}`,
    // The site of every attempt, in the execute event. All else that POST asks is in the events as they are.
    "ulog_execute_attrs = GLIDEIN_CMSSite",
    requirements(options),
    ...periodic(options),
    `include : ${UNIT.include}`,
    "queue",
  ];
  return `${lines.join("\n")}\n`;
}

const [NODE, CLUSTER] = ["$(JOB)", "$(Cluster)"];

/** Runs nothing: where it lands is what matters. /bin/true is there on every worker and does not travel. */
const LANDING = ["executable = /bin/true", "transfer_executable = false"];

function worker(role: NodeRole): string[] {
  const brought = ROLES[role].proof === "outputs" ? [REPORT, UNIT.mergeOutput] : [REPORT];
  return [
    `executable = ${fromUnit(program(RUN))}`,
    `arguments = ${role} ${NODE}`,
    `transfer_input_files = ${fromUnit(TOP.payload)}/,${UNIT.manifest}`,
    `transfer_output_files = ${brought.join(",")}`,
    // By cluster: $(RETRY) begins again at 0 after a rescue, and attempts would overwrite each other.
    `transfer_output_remaps = "${REPORT}=${attemptFile(NODE, CLUSTER, "report")}"`,
  ];
}

function requests({ cores, memoryMb, diskMb, wallMinutes, gpus, gpuKind }: NodeResources): string[] {
  const gpu = gpus > 0 && gpuKind ? gpuRequirements(gpuKind) : [];
  return [
    `request_cpus = ${cores}`,
    `request_memory = $($(JOB)_memory:${memoryMb})`,
    `request_disk = ${diskMb * KIB_PER_MB}`,
    ...(gpus > 0 ? [`request_gpus = ${gpus}`] : []),
    ...(gpu.length > 0 ? [`require_gpus = ${gpu.join(" && ")}`] : []),
    `My.MaxWallTimeMins = $($(JOB)_wall_minutes:${wallMinutes})`,
  ];
}

/** By what condor_gpu_discovery says of a GPU. A version is told as a number there: 12.2 is 12020. */
function gpuRequirements({ capabilities, memoryMb, runtime, name }: GpuKind): string[] {
  const [major = 0, minor = 0] = runtime?.split(".").map(Number) ?? [];
  return [
    ...(capabilities.length > 0 ? [`(${capabilities.map((one) => `Capability == ${one}`).join(" || ")})`] : []),
    ...(memoryMb === null ? [] : [`GlobalMemoryMb >= ${memoryMb}`]),
    ...(runtime === null ? [] : [`MaxSupportedVersion >= ${major * 1000 + minor * 10}`]),
    ...(name === null ? [] : [`DeviceName == ${classAdString(name)}`]),
  ];
}

/**
 * Where a node is not to go again, from group.inc. Another worker is only waited for a while: a small pool may have no
 * other, and a job that fits nowhere would wait for ever.
 */
const requirements = ({ avoidHostSec }: RenderOptions): string =>
  `requirements = ($($(JOB)_other_host:True) || (time() - QDate > ${avoidHostSec})) && $($(JOB)_other_site:True)`;

const KIB_PER_MB = 1024;
/** A job that uses this much more memory than it asked for is put on hold. */
const MEMORY_FACTOR = 1.2;
/** A job that the pool had to start more often than this, or that found no machine for so long, is removed. */
const MAX_STARTS = 5;
const MAX_IDLE_SEC = 7 * 86_400;

/**
 * POST runs only when a job leaves the queue. So a job that breaks a limit is first held, which records a reason
 * code (50660 memory, 50664 wall time), and a held job is removed after a while. What a person holds by hand
 * (reason code 1) stays.
 */
function periodic({ holdRemovalSec }: RenderOptions): string[] {
  const overMemory = `MemoryUsage > RequestMemory*${MEMORY_FACTOR}`;
  return [
    `periodic_hold = (JobStatus==2) && ((time()-EnteredCurrentStatus > MaxWallTimeMins*60) || (${overMemory}))`,
    `periodic_hold_reason = ifThenElse(${overMemory}, "WMS2 memory", "WMS2 walltime")`,
    `periodic_hold_subcode = ifThenElse(${overMemory}, 50660, 50664)`,
    `periodic_remove = ((JobStatus==5) && (HoldReasonCode =!= 1) && (time()-EnteredCurrentStatus > ${holdRemovalSec})) || (NumJobStarts > ${MAX_STARTS}) || (JobStatus==1 && time()-QDate > ${MAX_IDLE_SEC})`,
  ];
}
