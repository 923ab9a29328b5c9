import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A real disk of a few megabytes, which can be filled to its last byte. Needs root. */
export class SmallDisk {
  readonly path: string;

  constructor(path: string, megabytes = 16) {
    this.path = path;
    mkdirSync(path, { recursive: true });
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", path]);
    chmodSync(path, 0o755);
  }

  fill = (): void => {
    for (const size of [1 << 20, 1 << 12])
      for (let index = 0; ; index += 1) {
        try {
          writeFileSync(join(this.path, `.fill-${size}-${index}`), Buffer.alloc(size));
        } catch {
          break;
        }
      }
  };
  empty = (): void => {
    execFileSync("find", [this.path, "-maxdepth", "1", "-name", ".fill-*", "-delete"]);
  };
  remove(): void {
    execFileSync("umount", ["-l", this.path]);
    rmSync(this.path, { recursive: true, force: true });
  }

  /** Are we allowed to mount? */
  static canBe(dir: string): boolean {
    try {
      new SmallDisk(dir).remove();
      return true;
    } catch {
      return false;
    }
  }
}
