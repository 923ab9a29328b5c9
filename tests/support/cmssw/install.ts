import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
export const RELEASE = "CMSSW_14_0_1";
export const ARCH = "el8_amd64_gcc12";

/** The stand-in runs with Python 3, which not every machine has. */
export const hasPython = ((): boolean => {
  try {
    execFileSync("python3", ["-c", "import hashlib, json"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

/** A tree as /cvmfs/cms.cern.ch is one, with one release for one architecture. Answers the path of its set-up script. */
export function installCmssw(root: string): string {
  const put = (from: string, to: string): void => {
    const target = join(root, to);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, readFileSync(join(HERE, from), "utf8").replaceAll("@ROOT@", root));
    chmodSync(target, 0o755);
  };
  const release = `${ARCH}/cms/cmssw/${RELEASE}`;
  put("cmsset_default.sh", "cmsset_default.sh");
  put("scram", "common/scram");
  put("cmsRun", `${release}/bin/cmsRun`);
  cpSync(join(HERE, "python"), join(root, release, "python"), { recursive: true });
  return join(root, "cmsset_default.sh");
}
