import { spawn } from "node:child_process";
import { signalGroup } from "../../core/base/signal-group.ts";
import type { Owner } from "../../core/disk/permission.ts";

const LONGEST_MS = 60_000;

/**
 * What a person's command says of a file: a number on its stdout. null: it failed, took too long, or said something else. Run as it
 * is, without a shell of ours, as whoever owns the jobs.
 */
export const makeCountLevels =
  (owner: Owner | null) =>
  (directory: string, argv: readonly string[], longestMs = LONGEST_MS): Promise<number | null> => {
    const [program = "", ...words] = argv;
    return new Promise((resume) => {
      const child = spawn(program, words, {
        cwd: directory,
        env: { PATH: process.env.PATH, HOME: process.env.HOME, LANG: process.env.LANG },
        stdio: ["ignore", "pipe", "ignore"],
        detached: true, // ended with what it started
        ...(owner && process.getuid?.() === 0 && { uid: owner.uid, gid: owner.gid }),
      });
      const timer = setTimeout(() => {
        if (child.pid) signalGroup(child.pid, "SIGKILL");
      }, longestMs);
      let said = "";
      child.stdout.on("data", (data: Buffer) => {
        if (said.length < 100) said += data.toString();
      });
      child.on("error", () => end(null));
      child.on("close", (code) => end(code === 0 ? said.trim() : null));
      function end(answer: string | null): void {
        clearTimeout(timer);
        resume(answer !== null && /^\d{1,15}$/.test(answer) ? Number(answer) : null);
      }
    });
  };
