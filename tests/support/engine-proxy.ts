import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join, resolve } from "node:path";
import { ensureBuilt } from "./built.ts";
import { eventually } from "./eventually.ts";

const daemon = resolve(import.meta.dirname, "../../dist/src/engines/local/daemon.js");

/** What is lost of the next submission: its way there, or the answer. */
type Loss = "call" | "answer";

/**
 * A local engine whose submissions get lost on the way, so that the server waits for an answer that never comes. Begun before the
 * server, which finds its socket where it looks for the engine's.
 */
export class EngineProxy {
  readonly #dir: string;
  readonly #socket: string;
  #daemon: ChildProcess | null = null;
  #server: Server | null = null;
  #real = "";
  #next: Loss | null = null;
  readonly #sockets = new Set<Socket>();
  /** Batch names of submissions that came by, lost or not; and those that were lost on their way, as they were sent. */
  readonly seen: string[] = [];
  readonly lost: string[] = [];

  constructor(dataDir: string) {
    this.#dir = join(dataDir, "engine");
    this.#socket = join(dataDir, "proxy");
  }

  async start(): Promise<void> {
    await ensureBuilt();
    mkdirSync(this.#dir, { recursive: true });
    this.#daemon = spawn(process.execPath, [daemon, "--dir", this.#dir, "--idle-sec", "600"], { stdio: "ignore" });
    const told = join(this.#dir, "socket");
    await eventually("the engine listens", () => existsSync(told));
    this.#real = readFileSync(told, "utf8");
    this.#server = createServer((client) => this.#serve(client)).listen(this.#socket);
    await eventually("the proxy listens", () => existsSync(this.#socket));
    writeFileSync(told, this.#socket);
  }

  /** From now on, until it happened. */
  loseNext(loss: Loss): void {
    this.#next = loss;
  }
  get hasLost(): boolean {
    return this.#next === null;
  }

  /** A call that was lost gets there after all. */
  async deliverLate(): Promise<string> {
    const engine = connect(this.#real);
    engine.write(`${this.lost.at(-1)}\n`);
    const answer = await new Promise<string>((done) => engine.once("data", (data) => done(String(data))));
    engine.destroy();
    return answer;
  }

  #serve(client: Socket): void {
    const engine = connect(this.#real);
    const silenced = new Set<number>();
    const forward = (from: Socket, to: Socket, passes: (line: string) => boolean): void => {
      this.#sockets.add(from);
      let text = "";
      from.setEncoding("utf8").on("data", (data: string) => {
        const lines = (text + data).split("\n");
        text = lines.pop() ?? "";
        for (const line of lines) if (passes(line)) to.write(`${line}\n`);
      });
      from.on("error", () => {}).on("close", () => to.destroy());
    };
    forward(client, engine, (line) => {
      const { id, op, submission } = JSON.parse(line) as { id: number; op: string; submission: { batchName: string } };
      if (op !== "submit") return true;
      this.seen.push(submission.batchName);
      const loss = this.#next;
      this.#next = null;
      if (loss === "answer") silenced.add(id);
      if (loss === "call") this.lost.push(line);
      return loss !== "call";
    });
    forward(engine, client, (line) => !silenced.has((JSON.parse(line) as { id: number }).id));
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server?.close();
    this.#daemon?.kill("SIGTERM");
    rmSync(this.#socket, { force: true });
  }
}
