import type { Form } from "../../../intake/reading/form.ts";
import { childPath } from "../../../intake/reading/paths.ts";
import type { Row, Spot } from "../../../intake/reading/values.ts";
import { mapsIn } from "./translation.ts";

/** What Torc gives a job that asks for nothing; of memory it gives 1 MB, in which nothing runs. */
export const SMALL_JOB = { cores: 1, memory: "500 MB", time: "1 min" };
const UNITS: Readonly<Record<string, string>> = { "": "B", k: "KiB", m: "MiB", g: "GiB", t: "TiB" };

/** `resource_requirements: [{name, num_cpus, memory, …}]` as our sizes; `places` learns where each was said. */
export function readRequirements(top: Form, places: Map<string, string>): Row {
  const sizes: Record<string, Row> = {};
  for (const form of mapsIn(top, "resource_requirements")) {
    const name = form.needed("name")?.text() ?? "";
    if (Object.hasOwn(sizes, name)) form.problem("name", `${JSON.stringify(name)} is there twice`);
    const memory = form.spot("memory");
    const gpus = form.integer("num_gpus", { min: 0, max: 64 }, 0);
    if (form.integer("num_nodes", { min: 1, max: 1e6 }, 1) > 1)
      form.problem("num_nodes", "is not possible here: a job runs on one host", "1");
    sizes[name] = {
      cores: form.integer("num_cpus", { min: 1, max: 1024 }, 1),
      memory: memory ? readMemory(memory) : SMALL_JOB.memory,
      time: readRuntime(form.spot("runtime")),
      ...(gpus > 0 && { gpus }),
    };
    places.set(childPath("sizes", name), form.path);
    form.close();
  }
  return sizes;
}

/** "512m", in powers of 1024. */
function readMemory(spot: Spot): string {
  const [, number, unit = ""] = /^\s*(\d{1,12}(?:\.\d{1,6})?)\s*([kmgt]?)(?:i?b)?\s*$/i.exec(String(spot.value)) ?? [];
  if (number === undefined) spot.mustBe("a size of memory", '"512m", "2g"');
  return `${number ?? 1} ${UNITS[unit.toLowerCase()]}`;
}

const RUNTIME = /^P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,8})(?:\.\d+)?S)?)?$/;
const OUR_UNITS = ["d", "d", "h", "min", "s"];

/** "PT1H30M"; an hour where nothing is said. */
function readRuntime(spot: Spot | null): string {
  if (spot === null) return "1 h";
  const numbers = RUNTIME.exec(String(spot.value))?.slice(1) ?? [];
  const parts = numbers.flatMap((number, index) =>
    number === undefined || Number(number) === 0 ? [] : `${Number(number) * (index === 0 ? 7 : 1)} ${OUR_UNITS[index]}`,
  );
  if (parts.length === 0) spot.mustBe("a duration", '"PT1H", "P1DT12H", "PT30M"');
  return parts.length === 0 ? "1 h" : parts.join(" ");
}
