import { Agent, request } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

export interface SubmitTask {
  readonly url: string;
  readonly token: string;
  readonly callers: number;
  readonly requests: number;
}
export interface SubmitAnswer {
  readonly seconds: number;
  /** In the order of the answers. */
  readonly latenciesMs: readonly number[];
}

const { url, token, callers, requests } = workerData as SubmitTask;
const agent = new Agent({ keepAlive: true, maxSockets: callers });
const latenciesMs: number[] = [];
let next = 0;

async function call(): Promise<void> {
  while (next < requests) {
    const text = documentNamed(`bench-${next++}`);
    const begun = performance.now();
    await post(text);
    latenciesMs.push(performance.now() - begun);
  }
}

const documentNamed = (name: string): string =>
  JSON.stringify({
    name,
    kind: "generate",
    events: 10,
    split: { by: "events", events_per_job: 10 },
    steps: [{ name: "s", run: ["sh", "-c", "echo hello >o"] }],
    outputs: [{ name: "o", file: "o" }],
    resources: { cores: 1, memory: "500 MB", time: "1 min" },
  });

function post(text: string): Promise<void> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  return new Promise((done, failed) => {
    const call = request(`${url}/api/v1/requests`, { agent, method: "POST", headers }, (answer) => {
      let body = "";
      answer.setEncoding("utf8");
      answer.on("data", (part: string) => {
        body += part;
      });
      answer.on("end", () => (answer.statusCode === 201 ? done() : failed(new Error(`${answer.statusCode} ${body}`))));
    });
    call.on("error", failed);
    call.end(text);
  });
}

const begun = performance.now();
await Promise.all(Array.from({ length: callers }, call));
const seconds = (performance.now() - begun) / 1000;
agent.destroy();
parentPort?.postMessage({ seconds, latenciesMs } satisfies SubmitAnswer);
