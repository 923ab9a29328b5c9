import { startEmulators } from "../emulate/index.ts";

/** The services of CMS in a process of their own, so that only who asks them is measured. Ends with its parent. */
const emulated = await startEmulators({ seed: JSON.parse(process.argv[2] ?? "{}"), dbsCallsPerSec: 1_000_000 });
process.on("message", (message) => {
  if (message === "calls") process.send?.({ calls: emulated.calls().length });
});
process.on("disconnect", () => void emulated.close().then(() => process.exit(0)));
process.send?.({ settings: emulated.settings });
