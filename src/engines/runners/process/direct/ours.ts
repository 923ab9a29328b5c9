import { readFileSync } from "node:fs";
import { PAYLOAD_FILES } from "../../../../submit-dir/payload/files.ts";
import type { Texts } from "../../../dag/dag-files.ts";

/**
 * Whether a file of a submit directory is, byte for byte, the program that we put there: only what it does can be done in its
 * place. Of an older version, or changed by somebody, it is run.
 */
export class Ours {
  private readonly texts: Texts;
  private readonly known = new Map<string, string | null>();

  constructor(texts: Texts) {
    this.texts = texts;
  }

  /** `target`: its path in a submit directory. */
  is(path: string, target: string): boolean {
    let text = this.known.get(target);
    if (text === undefined) {
      text = readShipped(target);
      this.known.set(target, text);
    }
    return text !== null && this.read(path) === text;
  }

  /** Of a small file that is read again and again; null: it cannot be read. */
  read(path: string): string | null {
    try {
      return this.texts.read(path);
    } catch {
      return null;
    }
  }
}

function readShipped(target: string): string | null {
  const source = PAYLOAD_FILES.find((file) => file.target === target)?.source;
  try {
    return source === undefined ? null : readFileSync(source, "utf8");
  } catch {
    return null; // not built
  }
}
