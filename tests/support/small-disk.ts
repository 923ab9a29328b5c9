import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A command that runs where mounts are not seen from here: inside the pool. */
export type Elsewhere = (...argv: string[]) => unknown;

/**
 * A real disk of a few megabytes, which can be filled to its last byte. Needs root. It is a file as a block device, which
 * can be mounted in several places: here, and inside a pool, which has mounts of its own.
 */
export class SmallDisk {
  readonly path: string;
  readonly #device: string;
  readonly #elsewhere: Elsewhere;

  constructor(path: string, elsewhere: Elsewhere = () => {}) {
    this.path = path;
    this.#elsewhere = elsewhere;
    mkdirSync(path, { recursive: true });
    const image = `${path}.image`;
    writeFileSync(image, "");
    truncateSync(image, 16 << 20);
    execFileSync("mkfs.ext4", ["-q", "-m", "0", image]);
    this.#device = execFileSync("losetup", ["--find", "--show", image], { encoding: "utf8" }).trim();
    rmSync(image);
    execFileSync("mount", [this.#device, path]);
    chmodSync(path, 0o755);
    elsewhere("mount", this.#device, path);
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
    this.#elsewhere("umount", "-l", this.path);
    execFileSync("umount", ["-l", this.path]);
    execFileSync("losetup", ["--detach", this.#device]);
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
