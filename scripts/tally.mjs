// Adds up vitest's JSON reports: PROJECT.json, and PROJECT.again.json for the files of it that ran a second time. Says once
// more what failed, each with the beginning of its message, so that the end of a long log is enough to know it; then one
// line: "N passed, N failed".
// Usage: node scripts/tally.mjs <number of failed steps> FOLDER
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const MESSAGE_LINES = 30;
const [failedSteps = "0", folder = "."] = process.argv.slice(2);
const AGAIN = ".again.json";
const reports = readdirSync(folder).filter((name) => name.endsWith(".json") && !name.endsWith(AGAIN));
const counts = { passed: 0, failed: 0, skipped: 0 };
for (const name of reports) {
  const first = filesOf(join(folder, name));
  const again = filesOf(join(folder, name.replace(/\.json$/, AGAIN)));
  for (const [file, result] of first) {
    const second = again.get(file);
    if (second) tell("flaky: passed when run again", file, result, passedIn(second));
    count(file, second ?? result);
  }
}
// A step that failed without a failed test (lint, a suite that could not start) still counts as one.
const failed = Math.max(counts.failed, Number(failedSteps));
console.log(`${counts.passed} passed, ${failed} failed${counts.skipped ? `, ${counts.skipped} skipped` : ""}`);
process.exitCode = failed > 0 || counts.passed === 0 ? 1 : 0;

/** By the file's name; none: that report was not written. */
function filesOf(path) {
  const { testResults } = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : { testResults: [] };
  return new Map(testResults.map((result) => [result.name.replace(`${process.cwd()}/`, ""), result]));
}

function passedIn({ assertionResults }) {
  const passed = new Set(assertionResults.filter(({ status }) => status === "passed").map((test) => test.fullName));
  return (test) => passed.has(test.fullName);
}

function count(file, result) {
  for (const { status } of result.assertionResults)
    counts[status === "passed" || status === "failed" ? status : "skipped"] += 1;
  tell("failed", file, result, () => true);
  // A file that could not be loaded, or whose hook failed, may have no failed test.
  if (result.status !== "failed" || result.assertionResults.some(({ status }) => status === "failed")) return;
  counts.failed += 1;
  print(`failed: ${file}`, result.message);
}

function tell(word, file, { assertionResults }, isMeant) {
  for (const test of assertionResults.filter(({ status }) => status === "failed").filter(isMeant))
    print(`${word}: ${file} > ${test.fullName}`, test.failureMessages.join("\n"));
}

function print(head, message) {
  console.log(`── ${head}`);
  for (const line of message.split("\n").slice(0, MESSAGE_LINES)) console.log(`   ${line.slice(0, 300)}`);
}
