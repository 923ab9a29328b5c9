// What a test run left behind: names it, ends or removes it, and fails. Everything a run starts has TMPDIR=DIR in its environment
// or DIR in its command line, and every folder it makes lies below DIR. What is about to leave gets a few seconds.
// Usage: node scripts/leftovers.mjs DIR [GRACE_SEC]
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const [dir, graceSec = "15"] = process.argv.slice(2);

/** null: it is gone, or not ours to look at. */
function read(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return null;
  }
}

const ofThisRun = (pid) =>
  `\0${read(pid, "environ") ?? ""}`.includes(`\0TMPDIR=${dir}\0`) || read(pid, "cmdline")?.includes(`${dir}/`);

const processes = () =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter(ofThisRun)
    .map((pid) => ({ pid, command: read(pid, "cmdline")?.replaceAll("\0", " ").trim() || read(pid, "comm")?.trim() }));

// Node's own cache of compiled modules is for later runs, and nobody's mistake.
const folders = () => readdirSync(dir).filter((name) => name !== "node-compile-cache");

for (const end = Date.now() + Number(graceSec) * 1000; processes().length > 0 && Date.now() < end; ) await sleep(100);
const left = processes();
for (const { pid, command } of left) {
  console.log(`left behind: process ${pid}: ${command}`);
  try {
    process.kill(Number(pid), "SIGKILL");
  } catch {
    // It went by itself just now.
  }
}
const made = folders();
for (const name of made) {
  console.log(`left behind: ${dir}/${name}`);
  rmSync(join(dir, name), { recursive: true, force: true });
}
process.exitCode = left.length + made.length > 0 ? 1 : 0;
