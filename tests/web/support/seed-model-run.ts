import { experiment } from "../../support/segment-stories.ts";
import type { ServerUnderTest } from "../../support/server.ts";

/** A model run of eight years of which six have arrived. Nothing is made until somebody asks. */
export async function seedModelRun(server: ServerUnderTest, dir: string): Promise<void> {
  const more = { end: "0008", sweep: "never", components: ["atmos", "land", "ocean"] };
  await server.submit(experiment(dir, "cm5-historical", { years: 6, document: more }).document);
}
