import type { GpuKind, ResourceSpec } from "../core/request.ts";
import { Form } from "./reading/form.ts";
import { parseDocument } from "./reading/parse-document.ts";
import { distinct, isRow, type Spot } from "./reading/values.ts";
import { isEmpty } from "./reqmgr2-input.ts";

const VERSION = /^\d{1,3}\.\d{1,3}$/;
const NAME = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,99}$/;
const isVersion = (value: unknown): value is string => typeof value === "string" && VERSION.test(value);

/** How many GPUs a job needs, and which: the most that any step asks for. */
export function readGpus(top: Form, steps: readonly Form[]): Pick<ResourceSpec, "gpus" | "gpuKind"> {
  const kinds: GpuKind[] = [];
  let gpus = 0;
  for (const form of [...steps, top]) {
    const need = form.choice("RequiresGPU", ["forbidden", "optional", "required"] as const, "forbidden");
    const params = form.spot("GPUParams");
    if (need === "optional") form.warn("RequiresGPU", "is optional: the jobs ask for no GPU");
    if (need !== "required") continue;
    gpus = 1;
    const kind = params && !isEmpty(params.value) ? readKind(params) : null;
    if (kind) kinds.push(kind);
  }
  const [first, ...others] = kinds;
  if (!first) return { gpus };
  return { gpus, gpuKind: others.reduce((one, other) => together(one, other, top), first) };
}

/** Text of JSON, as ReqMgr2 keeps it, or a map. */
function readKind(spot: Spot): GpuKind | null {
  const parsed = typeof spot.value === "string" ? parseDocument(spot.value, "json") : null;
  const value = parsed?.ok ? parsed.value : spot.value;
  if (!isRow(value)) return spot.mustBe("a map, or one as JSON", '{"GPUMemoryMB": 8000, "CUDARuntime": "12.2", …}');
  const form = new Form(value, spot.path, spot.notes);
  const listed = form.spot("CUDACapabilities")?.list(50, true) ?? [];
  const capabilities = distinct(listed, isVersion, (one) => one.mustBe("a capability", '"8.0"'));
  const runtime = form.spot("CUDARuntime");
  const newest = form.spot("CUDARuntimeVersion")?.text(VERSION, '"12.2"') ?? runtime?.text(VERSION, '"12.2"') ?? null;
  form
    .spot("CUDADriverVersion")
    ?.problem("cannot be matched: pools tell which runtime a driver supports", "CUDARuntime");
  const kind = {
    capabilities: [...capabilities].sort(),
    memoryMb: form.integer("GPUMemoryMB", { min: 1, max: 1e7 }, null),
    runtime: newest,
    name: form.spot("GPUName")?.text(NAME, "the name of a device") ?? null,
  };
  form.close();
  return kind;
}

/** One job runs all steps on the same GPU. */
function together(one: GpuKind, other: GpuKind, top: Form): GpuKind {
  const capabilities =
    one.capabilities.length === 0 || other.capabilities.length === 0
      ? [...one.capabilities, ...other.capabilities]
      : one.capabilities.filter((capability) => other.capabilities.includes(capability));
  const isNone = capabilities.length === 0 && one.capabilities.length + other.capabilities.length > 0;
  if (isNone || (one.name !== null && other.name !== null && one.name !== other.name))
    top.problem("GPUParams", "the steps need different kinds of GPU, and one job runs them all");
  return {
    capabilities,
    memoryMb: Math.max(one.memoryMb ?? 0, other.memoryMb ?? 0) || null,
    runtime: newer(one.runtime, other.runtime),
    name: one.name ?? other.name,
  };
}

function newer(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  const asNumber = (version: string): number => {
    const [major = 0, minor = 0] = version.split(".").map(Number);
    return major * 1000 + minor;
  };
  return asNumber(one) >= asNumber(other) ? one : other;
}
