import { spawn } from "node:child_process";
import { closeSync, constants as fs, openSync } from "node:fs";
import { signalGroup } from "../../core/base/signal-group.ts";
import type { Owner } from "../../core/disk/permission.ts";
import type { RunHook } from "../../loop/ports.ts";

/**
 * Runs a person's command as it is, without a shell of ours, as whoever owns the jobs; what it says is added to a file. It is a
 * process group of its own, ended as a whole when it takes too long.
 */
export const makeRunHook =
  (owner: Owner | null): RunHook =>
  ({ argv, cwd, env, log, timeoutSec }) => {
    const [program = "", ...words] = argv;
    const output = openSync(log, fs.O_WRONLY | fs.O_APPEND | fs.O_CREAT | fs.O_NOFOLLOW, 0o644);
    return new Promise<string>((resume) => {
      const child = spawn(program, words, {
        cwd,
        env: { PATH: process.env.PATH, HOME: process.env.HOME, LANG: process.env.LANG, ...env },
        stdio: ["ignore", output, output],
        detached: true,
        ...(owner && process.getuid?.() === 0 && { uid: owner.uid, gid: owner.gid }),
      });
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        if (child.pid) signalGroup(child.pid, "SIGKILL");
      }, timeoutSec * 1000);
      timer.unref();
      child.on("error", (error) => end(`could not be started: ${error.message}`));
      child.on("exit", (code, signal) =>
        end(isLate ? `was ended after ${timeoutSec} s` : signal ? `was killed by ${signal}` : `exit ${code}`),
      );
      function end(result: string): void {
        clearTimeout(timer);
        resume(result);
      }
    }).finally(() => closeSync(output));
  };
