// Adds up vitest's JSON reports and ends with one line: "N passed, N failed".
// Usage: node scripts/tally.mjs <number of failed steps> report.json…
import { readFileSync } from "node:fs";

const [failedSteps = "0", ...reports] = process.argv.slice(2);
let passed = 0;
let failed = 0;
let skipped = 0;
for (const path of reports) {
  const report = JSON.parse(readFileSync(path, "utf8"));
  passed += report.numPassedTests;
  failed += report.numFailedTests;
  skipped += report.numPendingTests + report.numTodoTests;
}
// A step that failed without a failed test (lint, a suite that could not start) still counts as one.
failed = Math.max(failed, Number(failedSteps));
console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ""}`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
