import { writeFileSync } from "node:fs";
import { it } from "vitest";
import { runAll } from "../support/engine-differences.ts";
import { everyPosition, generateDag } from "../support/engine-generator.ts";
import { poolSeat } from "../support/engine-pool.ts";

it("try", async () => {
  const seat = await poolSeat("try");
  const t = Date.now();
  const dags = [everyPosition(), ...Array.from({ length: 32 }, (_, i) => generateDag(i))];
  const r = await runAll(seat, dags);
  writeFileSync("/tmp/condor-outcomes.json", JSON.stringify([...r], null, 1));
  console.log("took", Date.now() - t);
  await seat.close();
}, 240000);
