import { jsonValue } from "../../base/json.ts";
import type { PlanPreview } from "../../lifecycle/port.ts";
import type { PlanPreviewView } from "../schemas/plan.ts";

export function planPreviewView(preview: PlanPreview): PlanPreviewView {
  if (!preview.ok) {
    const { code, message, evidence } = preview.error;
    return { plan: null, refusal: { code, message, evidence: { ...evidence } } };
  }
  const plan = preview.value;
  const resources = Object.entries(plan.resources).map(([role, { cores, memoryMb, diskMb, wallMinutes, gpus }]) => [
    role,
    { cores, memory_mb: memoryMb, disk_mb: diskMb, wall_minutes: wallMinutes, gpus },
  ]);
  return {
    plan: {
      units: plan.units,
      blocks: plan.blocks,
      nodes: plan.nodes,
      nodes_by_role: { ...plan.nodesByRole },
      input_files: plan.inputFiles,
      events: jsonValue(plan.events),
      units_by_site: { ...plan.unitsBySite },
      jobs_per_unit: { ...plan.jobsPerUnit },
      events_per_job: plan.eventsPerJob && { ...plan.eventsPerJob },
      expected_bytes: plan.expectedBytes,
      expected_bytes_per_unit: { ...plan.expectedBytesPerUnit },
      core_hours: plan.coreHours,
      resources: Object.fromEntries(resources),
      warnings: [...plan.warnings],
    },
    refusal: null,
  };
}
