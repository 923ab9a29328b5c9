// Adds up vitest's JSON reports. Says once more what failed, each with the beginning of its message, so that the end of
// a long log is enough to know it; then one line: "N passed, N failed".
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
  report.testResults.forEach(tellFailures);
}
// A step that failed without a failed test (lint, a suite that could not start) still counts as one.
failed = Math.max(failed, Number(failedSteps));
console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ""}`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

function tellFailures({ name, status, message, assertionResults }) {
  const file = name.replace(`${process.cwd()}/`, "");
  const failures = assertionResults.filter((test) => test.status === "failed");
  for (const { fullName, failureMessages } of failures) tell(`${file} > ${fullName}`, failureMessages.join("\n"));
  // A file that could not be loaded, or whose hook failed, may have no failed test.
  if (status === "failed" && failures.length === 0) tell(file, message);
}

function tell(what, message) {
  console.log(`── failed: ${what}`);
  for (const line of message.split("\n").slice(0, 6)) console.log(`   ${line.slice(0, 300)}`);
}
