import { execFileSync } from "node:child_process";
import { it } from "vitest";
import { startPostgres } from "../support/postgres.ts";
import { freshStore } from "../support/store-embedded.ts";

it("million", async () => {
  const server = await startPostgres();
  console.log(
    "OUT " +
      execFileSync("node", ["/tmp/pgl/m.mjs", server.url, "1000000"], { encoding: "utf8" }).replaceAll(
        "\n",
        " ; ",
      ),
  );
  await server.remove();
}, 900000);
it("fresh", async () => {
  const t0 = performance.now();
  await freshStore();
  const t1 = performance.now();
  for (let i = 0; i < 20; i++) await freshStore();
  console.log("OUT first", (t1 - t0) | 0, "next", (performance.now() - t1) / 20);
});
