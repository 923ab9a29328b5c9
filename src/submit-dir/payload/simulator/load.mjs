/**
 * Real load: CPU time and memory as a profile predicts them, at a scale. Amdahl: the serial share runs on one
 * thread, the rest on all of them, so wall time shrinks by s + (1 - s)/n while CPU time stays.
 */
import { Worker } from "node:worker_threads";

/** @param {import("./options.mjs").Profile} profile @param {number} threads */
export const memoryMb = (profile, threads) => profile.baseMb + profile.mbPerThread * threads;

/** Seconds of wall time and of CPU time. @param {import("./options.mjs").Profile} profile @param {number} threads @param {number} events */
export function timesOf(profile, threads, events) {
  const cpuSec = profile.secPerEvent * events;
  return { cpuSec, wallSec: cpuSec * (profile.serial + (1 - profile.serial) / threads) };
}

/** Grows the process to that many MB by writing to every page. @param {number} mb @returns {Buffer[]} keep it to keep the memory */
export function holdMemory(mb) {
  const held = [];
  for (let missing = mb * 1048576 - process.memoryUsage.rss(); missing > 0; missing -= 67108864) {
    held.push(Buffer.alloc(Math.min(missing, 67108864), 1));
  }
  return held;
}

/** @param {import("./options.mjs").Profile} profile @param {number} threads @param {number} cpuSec */
export async function burnCpu(profile, threads, cpuSec) {
  const share = ((1 - profile.serial) * cpuSec) / threads;
  // Starting a thread costs some 20 ms: not for less than that.
  const helpers = share > 0.02 ? threads - 1 : 0;
  const others = Array.from({ length: helpers }, () => burnElsewhere(share));
  burn(cpuSec - helpers * share);
  await Promise.all(others);
}

/** @param {number} seconds */
function burn(seconds) {
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end);
}

/** @param {number} seconds @returns {Promise<void>} */
function burnElsewhere(seconds) {
  const code = `const end = performance.now() + ${seconds * 1000}; while (performance.now() < end);`;
  const worker = new Worker(code, { eval: true });
  return new Promise((resolve, reject) => {
    worker.on("exit", () => resolve());
    worker.on("error", reject);
  });
}
