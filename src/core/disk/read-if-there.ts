import { readFileSync } from "node:fs";

/** null: there is no such file. Alone in its file: POST's bundle takes it, and nothing else of this folder. */
export function readIfThereSync(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
