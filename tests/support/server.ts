import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ensureBuilt } from "./built.ts";
import { eventually } from "./eventually.ts";
import { removeData } from "./remove-data.ts";

const root = resolve(import.meta.dirname, "../..");

const HURRIED = {
  "lifecycle.interval_sec": 0.2,
  "dag.status_interval_sec": 1,
  "dag.defer_poll_sec": 1,
  "recovery.cooloff_base_sec": 0,
};

/** A real server in a process of its own, on a data directory of its own: can be killed and started again. */
export class ServerUnderTest {
  readonly dataDir: string;
  readonly #settings: Readonly<Record<string, unknown>>;
  #child: ChildProcess | null = null;
  readonly logFile: string;
  url = "";

  /** `asShipped`: with the defaults that users get, not with hurried ones. */
  constructor(
    settings: Readonly<Record<string, unknown>> = {},
    dataDir = mkdtempSync(join(tmpdir(), "wms2-server-")),
    asShipped = false,
    logFile = join(dataDir, "server.log"),
  ) {
    this.logFile = logFile;
    this.dataDir = dataDir;
    this.#settings = { "listen.port": 0, ...(!asShipped && HURRIED), ...settings };
  }

  /** Starts it and waits until it answers. */
  async start(deadlineSec = 60): Promise<void> {
    await ensureBuilt();
    const log = openSync(this.logFile, "a");
    const flags = Object.entries(this.#settings).flatMap(([key, value]) => [
      "--set",
      `${key}=${JSON.stringify(value)}`,
    ]);
    const child = spawn(
      process.execPath,
      [join(root, "dist/src/cli/main.js"), "serve", "--data-dir", this.dataDir, ...flags],
      { stdio: ["ignore", log, log] },
    );
    this.#child = child;
    let seen = "";
    await eventually(
      "the server answers",
      async () => {
        if (child.exitCode !== null)
          throw new Error(`the server ended with ${child.exitCode}\n${this.log().slice(-3000)}`);
        const told = readServerFile(this.dataDir);
        seen = `process ${child.pid}; server.json: ${JSON.stringify(told)}`;
        if (told?.pid !== child.pid) return false;
        this.url = told?.url ?? "";
        return fetch(`${this.url}/api/v1/lifecycle/status`, { signal: AbortSignal.timeout(10_000) }).then(
          (answer) => {
            seen += `; it answers ${answer.status}`;
            return answer.ok;
          },
          (error: Error) => {
            seen += `; ${error.message}: ${error.cause}`;
            return false;
          },
        );
      },
      { deadlineSec, describe: () => `${seen}\n${this.log().slice(-3000)}` },
    );
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }
  log(): string {
    return this.logFile.startsWith("/dev/") ? "" : readFileSync(this.logFile, "utf8");
  }
  get token(): string {
    return readFileSync(join(this.dataDir, "operator.token"), "utf8").trim();
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resume) => child.once("exit", resume));
    child.kill(signal);
    await gone;
    this.#child = null;
  }

  async stop(): Promise<void> {
    await this.kill("SIGTERM");
  }

  /** Its data directory, and the engine that outlives every server on purpose. */
  remove(): Promise<void> {
    return removeData(this.dataDir);
  }

  protected call(path: string, init?: RequestInit): Promise<Response> {
    return fetch(`${this.url}/api/v1${path}`, init);
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests read the JSON they expect
  async get(path: string): Promise<any> {
    const answer = await this.call(path);
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    token = this.token,
  ): Promise<{ status: number; body: unknown }> {
    const answer = await this.call(path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text ? JSON.parse(text) : null };
  }

  async submit(request: unknown): Promise<string> {
    const { status, body } = await this.send("POST", "/requests", request);
    if (status !== 201) throw new Error(`submit: ${status} ${JSON.stringify(body)}`);
    return (body as { request_name: string }).request_name;
  }

  /** Waits until the request is in one of the states. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read the JSON they expect
  async until(name: string, states: readonly string[], deadlineSec = 60): Promise<any> {
    let last: unknown = null;
    return eventually(
      `${name} is ${states.join(" or ")}`,
      async () => {
        last = await this.get(`/requests/${name}`).catch((error) => String(error));
        return states.includes((last as { status?: string }).status ?? "") ? last : false;
      },
      { deadlineSec, everyMs: 100, describe: () => `${JSON.stringify(last, null, 1)}\n${this.log().slice(-4000)}` },
    );
  }
}

function readServerFile(dataDir: string): { url: string; pid: number } | null {
  try {
    return JSON.parse(readFileSync(join(dataDir, "server.json"), "utf8"));
  } catch {
    return null;
  }
}
