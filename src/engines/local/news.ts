import { existsSync, mkdirSync, watch } from "node:fs";
import { join } from "node:path";

/**
 * Tells when a run is over, which is when its file leaves the registry, so that nobody has to look often. A hint only:
 * where files cannot be watched, the next look sees it.
 */
export function watchEnds(dir: string, tell: () => void): { close(): void } {
  const runs = join(dir, "runs");
  try {
    mkdirSync(runs, { recursive: true });
    const watcher = watch(runs, { persistent: false }, (_, name) => {
      if (name?.endsWith(".json") && !existsSync(join(runs, name))) tell();
    });
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return { close() {} };
  }
}
