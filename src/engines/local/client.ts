import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describeError, WorldError } from "../../core/base/errors.ts";
import { readText } from "../dag/dag-files.ts";
import { lineReader } from "../dag/lines.ts";
import { type Answer, type Ask, EXIT_LOCKED } from "./protocol.ts";

/** The connection went away before an answer: asking again is safe, for every question here is idempotent. */
class Dropped extends Error {}

/** Who waits for an answer, by its id. */
type Waiting = Map<number, (error: Error | null, value?: unknown) => void>;

export interface Client {
  ask(question: Ask): Promise<unknown>;
  close(): Promise<void>;
}

/** Talks to the engine process of a directory, and starts it when there is none. `greeting` is asked first on every new connection. */
export function makeClient(dir: string, command: readonly string[], timeoutMs: number, greeting: Ask): Client {
  const waiting: Waiting = new Map();
  let connected: Promise<Socket> | null = null;
  let lastId = 0;

  const send = (socket: Socket, question: Ask, deadline: number): Promise<unknown> => {
    const id = ++lastId;
    return new Promise((resolve, reject) => {
      const answered = (error: Error | null, value?: unknown): void => {
        clearTimeout(timer);
        waiting.delete(id);
        if (waiting.size === 0) socket.unref();
        if (error) reject(error);
        else resolve(value);
      };
      const late = (): void => answered(new Error(`no answer within ${timeoutMs / 1000} s`));
      const timer = setTimeout(late, deadline - Date.now());
      waiting.set(id, answered);
      socket.ref();
      socket.write(`${JSON.stringify({ id, ...question })}\n`);
    });
  };

  const open = async (deadline: number): Promise<Socket> => {
    const socket = (await tryConnect(dir)) ?? (await startAndConnect(dir, command, timeoutMs, deadline));
    readAnswers(socket, dir, waiting);
    socket.on("close", () => {
      connected = null;
      for (const answered of [...waiting.values()]) answered(new Dropped("the engine closed the connection"));
    });
    await send(socket, greeting, deadline);
    return socket;
  };

  return {
    async ask(question) {
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        try {
          connected ??= open(deadline).catch((error) => {
            connected = null;
            throw error;
          });
          return await send(await connected, question, deadline);
        } catch (error) {
          if (error instanceof WorldError) throw error;
          const message = `the local engine did not answer: ${describeError(error)}`;
          if (!(error instanceof Dropped) || Date.now() > deadline)
            throw new WorldError("engine-unreachable", dir, message, { cause: error });
          await pause(20);
        }
      }
    },
    async close() {
      const socket = await connected?.catch(() => null);
      connected = null;
      socket?.destroy();
    },
  };
}

function readAnswers(socket: Socket, dir: string, waiting: Waiting): void {
  const read = lineReader((line) => {
    const answer = JSON.parse(line) as Answer;
    const answered = waiting.get(answer.id);
    if (answer.ok) answered?.(null, answer.value);
    else answered?.(new WorldError("engine-unreachable", dir, answer.error));
  });
  socket.setEncoding("utf8").on("data", read);
}

function tryConnect(dir: string): Promise<Socket | null> {
  const path = readText(join(dir, "socket"));
  if (!path.ok) return Promise.resolve(null);
  return new Promise((resolve) => {
    const socket = connect(path.value);
    socket.once("connect", () => resolve(socket));
    socket.on("error", () => resolve(null));
  });
}

async function startAndConnect(
  dir: string,
  command: readonly string[],
  timeoutMs: number,
  deadline: number,
): Promise<Socket> {
  let ended = startDaemon(dir, command);
  while (Date.now() < deadline) {
    const socket = await tryConnect(dir);
    if (socket) return socket;
    const how = ended();
    // Another client may have started it first; or it was about to leave when we came.
    if (how === "locked") ended = startDaemon(dir, command);
    else if (how !== null) throw new Error(`the engine process ended: ${how}: ${logTail(dir)}`);
    await pause(20);
  }
  throw new Error(`the engine process did not listen within ${timeoutMs / 1000} s: ${logTail(dir)}`);
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

function logTail(dir: string): string {
  const path = join(dir, "daemon.log");
  return `${readFileSync(path, "utf8").trim().slice(-2000) || "it is empty"} (${path})`;
}
