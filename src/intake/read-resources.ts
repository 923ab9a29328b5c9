import type { ResourceSpec } from "../core/request.ts";
import type { IntakeRules } from "../core/submission.ts";
import { checkSizes, readSizes, SIZE_HINTS, sizesFor } from "../kinds/read-sizes.ts";
import type { Form } from "./reading/form.ts";

export const POSITIVE = { min: 0, above: 0, max: 1e12 };

export function readResources(top: Form, rules: IntakeRules): ResourceSpec {
  const form = top.section("resources");
  const memory = form.either("memory", top, "memory_mb");
  const written = readSizes(form);
  const memoryMb = written.memoryMb ?? top.integer("memory_mb", { min: 1, max: 1e9 }, null);
  // The older top-level names carry their unit, so theirs are plain numbers.
  const time = form.either("time_per_event", top, "time_per_event_sec");
  const size = form.either("size_per_event", top, "size_per_event_kb");
  const secondsPerEvent = form.duration("time_per_event", { min: 0, max: 1e9 }, null);
  const bytesPerEvent = form.size("size_per_event", { min: 0, max: 1e15 }, null);
  if (secondsPerEvent === 0) time?.problem("must be above 0 (got 0)");
  if (bytesPerEvent === 0) size?.problem("must be above 0 (got 0)");
  form.close(SIZE_HINTS);
  const sizes = sizesFor({ ...written, memoryMb }, rules);
  checkSizes(sizes, form, memory?.path ?? null, rules);
  return {
    ...sizes,
    secondsPerEvent: secondsPerEvent ?? top.number("time_per_event_sec", POSITIVE, null),
    kbPerEvent: bytesPerEvent === null ? top.number("size_per_event_kb", POSITIVE, null) : bytesPerEvent / 1000,
  };
}
