import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describeError, WorldError } from "../../base/errors.ts";
import { lineReader } from "../dag/lines.ts";
import { type Answer, type Ask, EXIT_LOCKED } from "./protocol.ts";

/** The connection went away before an answer: asking again is safe, for every question here is idempotent. */
class Dropped extends Error {}

/** Talks to the engine process of a directory, and starts it when there is none. */
export class Client {
  private readonly dir: string;
  private readonly command: readonly string[];
  private readonly timeoutMs: number;
  private readonly greeting: Ask;
  /** Who waits for an answer, by its id. */
  private readonly waiting = new Map<number, (error: Error | null, value?: unknown) => void>();
  private socket: Promise<Socket> | null = null;
  private lastId = 0;

  /** `greeting` is asked first on every new connection. */
  constructor(dir: string, command: readonly string[], timeoutMs: number, greeting: Ask) {
    this.dir = dir;
    this.command = command;
    this.timeoutMs = timeoutMs;
    this.greeting = greeting;
  }

  async ask(question: Ask): Promise<unknown> {
    const deadline = Date.now() + this.timeoutMs;
    for (;;) {
      try {
        return await this.askOnce(question, deadline);
      } catch (error) {
        if (!(error instanceof Dropped) || Date.now() > deadline) throw this.failure(error);
        await pause(20);
      }
    }
  }

  async close(): Promise<void> {
    const socket = await this.socket?.catch(() => null);
    this.socket = null;
    socket?.destroy();
  }

  private failure(error: unknown): WorldError {
    if (error instanceof WorldError) return error;
    return new WorldError("engine-unreachable", this.dir, `the local engine did not answer: ${describeError(error)}`, {
      cause: error,
    });
  }

  private async askOnce(question: Ask, deadline: number): Promise<unknown> {
    this.socket ??= this.open(deadline).catch((error) => {
      this.socket = null;
      throw error;
    });
    return this.send(await this.socket, question, deadline);
  }

  private send(socket: Socket, question: Ask, deadline: number): Promise<unknown> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      const answered = (error: Error | null, value?: unknown): void => {
        clearTimeout(timer);
        this.waiting.delete(id);
        if (this.waiting.size === 0) socket.unref();
        if (error) reject(error);
        else resolve(value);
      };
      const late = (): void => answered(new Error(`no answer within ${this.timeoutMs / 1000} s`));
      const timer = setTimeout(late, deadline - Date.now());
      this.waiting.set(id, answered);
      socket.ref();
      socket.write(`${JSON.stringify({ id, ...question })}\n`);
    });
  }

  private async open(deadline: number): Promise<Socket> {
    const socket = (await this.tryConnect()) ?? (await this.startAndConnect(deadline));
    socket.setEncoding("utf8");
    socket.on(
      "data",
      lineReader((line) => {
        const answer = JSON.parse(line) as Answer;
        const answered = this.waiting.get(answer.id);
        if (answer.ok) answered?.(null, answer.value);
        else answered?.(new WorldError("engine-unreachable", this.dir, answer.error));
      }),
    );
    socket.on("close", () => {
      this.socket = null;
      for (const answered of [...this.waiting.values()]) answered(new Dropped("the engine closed the connection"));
    });
    await this.send(socket, this.greeting, deadline);
    return socket;
  }

  private tryConnect(): Promise<Socket | null> {
    let path: string;
    try {
      path = readFileSync(join(this.dir, "socket"), "utf8");
    } catch {
      return Promise.resolve(null);
    }
    return new Promise((resolve) => {
      const socket = connect(path);
      socket.once("connect", () => resolve(socket));
      socket.on("error", () => resolve(null));
    });
  }

  private async startAndConnect(deadline: number): Promise<Socket> {
    let ended = startDaemon(this.dir, this.command);
    while (Date.now() < deadline) {
      const socket = await this.tryConnect();
      if (socket) return socket;
      const how = ended();
      // Another client may have started it first; or it was about to leave when we came.
      if (how === "locked") ended = startDaemon(this.dir, this.command);
      else if (how !== null) throw new Error(`the engine process ended: ${how}: ${lastWords(this.dir)}`);
      await pause(20);
    }
    throw new Error(`the engine process did not listen within ${this.timeoutMs / 1000} s: ${lastWords(this.dir)}`);
  }
}

/** Starts the engine on its own; the returned function tells how it ended, null while it has not. */
function startDaemon(dir: string, command: readonly string[]): () => string | null {
  mkdirSync(dir, { recursive: true });
  const log = openSync(join(dir, "daemon.log"), "a");
  let how: string | null = null;
  const child = spawn(command[0] as string, [...command.slice(1), "--dir", dir], {
    detached: true,
    stdio: ["ignore", log, log],
    cwd: "/",
  });
  closeSync(log);
  child.on("error", (error) => {
    how = error.message;
  });
  child.on("exit", (code, signal) => {
    how = code === EXIT_LOCKED ? "locked" : `exit ${code ?? signal}`;
  });
  child.unref();
  return () => how;
}

function lastWords(dir: string): string {
  const path = join(dir, "daemon.log");
  return `${readFileSync(path, "utf8").trim().slice(-2000) || "no words"} (${path})`;
}
