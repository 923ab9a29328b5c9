import { readFileSync } from "node:fs";
import { replace } from "./dag-files.ts";

const BLOCK = 1000;

/** Numbers never given before, also not by an engine that was killed: the file is a block ahead of what was used. */
export class Ids {
  private readonly path: string;
  private next: number;
  private limit: number;

  constructor(path: string) {
    this.path = path;
    this.next = readNumber(path);
    this.limit = this.next;
  }

  take(): number {
    if (this.next >= this.limit) {
      this.limit = this.next + BLOCK;
      replace(this.path, `${this.limit}\n`);
    }
    return this.next++;
  }
}

function readNumber(path: string): number {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 1;
    throw error;
  }
  if (!/^\d+\n$/.test(text)) throw new Error(`${path} does not hold a number`);
  return Number(text);
}
