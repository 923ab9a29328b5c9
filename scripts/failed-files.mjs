// The test files of a vitest JSON report in which something failed, on one line; fails when there is none to run again: the
// report is missing, or so much failed that a second run would only repeat it.
// Usage: node scripts/failed-files.mjs report.json
import { existsSync, readFileSync } from "node:fs";

const MOST = 5;
const [path] = process.argv.slice(2);
const report = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : { testResults: [] };
const files = report.testResults
  .filter(({ status }) => status === "failed")
  .map(({ name }) => name.replace(`${process.cwd()}/`, ""));
if (files.length > 0 && files.length <= MOST) console.log(files.join(" "));
else process.exitCode = 1;
