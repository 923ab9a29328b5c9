// Writes to an embedded store until it is killed: node store-writer.mjs <dist> <dir>. Says "open" once it has the
// store, then the name of every unit whose recording was acknowledged.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [dist, dir] = process.argv.slice(2);
const { openEmbedded } = await import(pathToFileURL(join(dist, "store/open.js")).href);
const store = await openEmbedded(dir);
process.stdout.write("open\n");
for (let n = 0; ; n++) {
  const name = `mg_${String(n).padStart(6, "0")}`;
  const unit = { name, block: 0, round: 0, status: "owed", site: null, events: 10n, outputs: [] };
  await store.units.recordFinished([
    { ...unit, workflowId: "w-a", dagId: "d-a", finishedAt: new Date(), registeredAt: null },
  ]);
  process.stdout.write(`${name}\n`);
}
