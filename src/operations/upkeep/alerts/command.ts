import { spawn } from "node:child_process";
import { signalGroup } from "../../../core/base/signal-group.ts";
import type { AlertMessage } from "./message.ts";
import type { SettingsOf } from "./sink.ts";

const WORDS_KEPT = 2_000;
const INHERITED = ["PATH", "HOME", "USER", "LANG", "TZ"];

/**
 * Runs a program with the message as JSON on its stdin and in WMS2_ALERT_* variables. No shell reads any of it. The
 * program is a process group of its own: when its time is over, all it started goes with it.
 */
export function runProgram(settings: SettingsOf<"command">, message: AlertMessage): Promise<void> {
  const [program = "", ...words] = settings.argv;
  return new Promise((resolve, reject) => {
    const env = environment(message);
    const child = spawn(program, words, { detached: true, env, stdio: ["pipe", "ignore", "pipe"] });
    let said = "";
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      if (child.pid !== undefined) signalGroup(child.pid, "SIGKILL");
    }, settings.timeout_sec * 1000);
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-WORDS_KEPT);
    });
    child.stdin.on("error", () => {}); // a program may end without reading
    child.stdin.end(`${JSON.stringify(message)}\n`);
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(new Error(`${program} cannot be started`, { cause: error }));
    });
    child.on("exit", (code, signal) => {
      clearTimeout(timer);
      child.stderr.destroy(); // something it left behind may hold it open
      if (late) return reject(new Error(`${program} took longer than ${settings.timeout_sec} s`));
      if (code === 0) return resolve();
      const end = code === null ? `was ended by ${signal}` : `ended with ${code}`;
      reject(new Error(`${program} ${end}${said.trim() ? `: ${said.trim().slice(-300)}` : ""}`));
    });
  });
}

function environment(message: AlertMessage): Record<string, string> {
  const own = Object.entries(message).map(([key, value]) => [`WMS2_ALERT_${key.toUpperCase()}`, clean(value)]);
  const inherited = INHERITED.map((name) => [name, process.env[name]]).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...inherited, ...own]);
}

/** A NUL cannot be in a variable, and a very long value would keep the program from starting; stdin has it whole. */
const clean = (value: string | number | null): string =>
  String(value ?? "")
    .replaceAll("\0", "")
    .slice(0, 20_000);
