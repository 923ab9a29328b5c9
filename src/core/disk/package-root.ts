import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The folder of the package, where migrations/, examples/ and dist/ stand: the same from src/ as from dist/src/. */
export const PACKAGE_ROOT = nearestPackage(import.meta.dirname);

function nearestPackage(folder: string): string {
  return existsSync(join(folder, "package.json")) || dirname(folder) === folder
    ? folder
    : nearestPackage(dirname(folder));
}

/** A compiled program of ours, also when this module was not compiled. */
export const builtProgram = (path: string): string => join(PACKAGE_ROOT, "dist", path);
