import { execFile, spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { chown, mkdtemp } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** A PostgreSQL server of the test's own, in a temporary directory, on loopback. */
export interface TestServer {
  readonly url: string;
  /** As an operator's "restart": connections are cut. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops it and removes its files. Happens by itself when the test process ends, however it ends. */
  remove(): Promise<void>;
}

// PostgreSQL refuses to run as root.
const NOBODY = 65534;
const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
const run = promisify(execFile);

/**
 * Whether tests that need PostgreSQL are skipped here, for want of its programs. Where everything has to run (CI=true)
 * nothing is left out silently: there it is a failure.
 */
export function lacksPostgres(bin = postgresBin(), ci = process.env.CI): boolean {
  if (bin) return false;
  if (ci === "true")
    throw new Error("no initdb and pg_ctl, and CI demands the tests on PostgreSQL: install postgresql");
  return true;
}

/** Where initdb and pg_ctl are; null: nowhere. */
function postgresBin(): string | null {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...(process.env.PATH ?? "").split(":"), ...versions.map((version) => join(root, version, "bin"))];
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "pg_ctl"))) ?? null;
}

export async function startPostgres(): Promise<TestServer> {
  const bin = postgresBin();
  if (!bin) throw new Error("no initdb and pg_ctl: install postgresql");
  const dir = await mkdtemp(join(tmpdir(), "wms2-postgres-"));
  if (user.uid !== undefined) await chown(dir, user.uid, user.gid);
  const data = join(dir, "data");
  const pgCtl = (...args: string[]) => run(join(bin, "pg_ctl"), ["-D", data, "-w", ...args], { ...user, cwd: dir });

  // Waits for the end of this process (its standard input closes, kill -9 included), then cleans up.
  const janitor = spawn(
    "sh",
    ["-c", `cat >/dev/null; "$0" -D "$1" -m immediate stop; rm -rf "$2"`, join(bin, "pg_ctl"), data, dir],
    { ...user, cwd: "/", stdio: ["pipe", "ignore", "ignore"], detached: true },
  );
  janitor.unref();
  const ended = new Promise<void>((resolve) => janitor.on("exit", () => resolve()));

  await run(join(bin, "initdb"), ["-D", data, "-U", "wms2", "-A", "trust", "-E", "UTF8", "--no-sync"], {
    ...user,
    cwd: dir,
  });
  const port = await freePort();
  const options = `-h 127.0.0.1 -p ${port} -k ${dir} -c fsync=off -c max_connections=40`;
  const start = async (): Promise<void> => void (await pgCtl("-l", join(dir, "log"), "-o", options, "start"));
  await start();
  return {
    url: `postgres://wms2@127.0.0.1:${port}/postgres`,
    start,
    stop: async () => void (await pgCtl("-m", "fast", "stop")),
    remove: async () => {
      janitor.ref();
      janitor.stdin?.end();
      await ended;
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
