import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { eventually } from "../../tests/support/eventually.ts";
import { fillEmbedded, writeStatusFile } from "../../tests/support/many-requests.ts";
import { endProcesses } from "./measure.ts";

export interface DeskServer {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
}

/** A real server in a process of its own, with many requests and a round of many units. */
export async function withDeskServer<T>(
  dataDir: string,
  { requests, units, flags = [] }: { requests: number; units: number; flags?: readonly string[] },
  work: (server: DeskServer) => Promise<T>,
): Promise<T> {
  await fillEmbedded(dataDir, requests);
  writeStatusFile(join(dataDir, "map"), units);
  const program = resolve("dist/src/cli/main.js");
  const settings = ["--set", "listen.port=0", "--set", 'log.level="error"'];
  const child = spawn(process.execPath, [...flags, program, "serve", "--data-dir", dataDir, ...settings], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const over = new Promise((resume) => child.once("exit", resume));
  try {
    const url = await eventually("the server answers", () => answering(dataDir), { deadlineSec: 120 });
    const token = readFileSync(join(dataDir, "operator.token"), "utf8").trim();
    return await work({ url, token, pid: child.pid ?? 0 });
  } finally {
    child.kill("SIGTERM");
    await over;
    await endProcesses(dataDir);
  }
}

async function answering(dataDir: string): Promise<string | null> {
  try {
    const { url } = JSON.parse(readFileSync(join(dataDir, "server.json"), "utf8"));
    return (await fetch(`${url}/api/v1/lifecycle/status`)).ok ? url : null;
  } catch {
    return null;
  }
}
