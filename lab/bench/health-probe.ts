import { Agent, get } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

export interface HealthAnswer {
  readonly longestMs: number;
  /** Answers that took longer than 100 ms. */
  readonly late: number;
}

const EVERY_MS = 10;
const { url, stop } = workerData as { url: string; stop: SharedArrayBuffer };
const agent = new Agent({ keepAlive: true });
let [longestMs, late, open] = [0, 0, 0];

function ask(): void {
  const begun = performance.now();
  open += 1;
  get(`${url}/api/v1/health`, { agent }, (answer) => {
    answer.resume().on("end", () => {
      const tookMs = Math.round(performance.now() - begun);
      longestMs = Math.max(longestMs, tookMs);
      if (tookMs > 100) late += 1;
      open -= 1;
    });
  });
}

const asking = setInterval(() => {
  if (Atomics.load(new Int32Array(stop), 0) === 0) {
    ask();
    return;
  }
  if (open > 0) return;
  clearInterval(asking);
  agent.destroy();
  parentPort?.postMessage({ longestMs, late } satisfies HealthAnswer);
}, EVERY_MS);
