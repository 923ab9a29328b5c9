import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { eventually } from "./eventually.ts";

const root = resolve(import.meta.dirname, "../..");
const stamp = join(root, "dist/.wms2-built");
const lock = join(root, "node_modules/.wms2-building");
/** Longer than any build: whoever left the lock is gone. */
const STALE_MS = 120_000;

let once: Promise<void> | null = null;

/** Builds dist/ when a source is newer than it; test files that run side by side build once, one after another. */
export function ensureBuilt(): Promise<void> {
  once ??= buildIfStale();
  return once;
}

async function buildIfStale(): Promise<void> {
  if (isFresh()) return;
  const release = await takeLock();
  try {
    if (!isFresh()) await build();
  } finally {
    release();
  }
}

function isFresh(): boolean {
  if (!existsSync(stamp)) return false;
  const built = statSync(stamp).mtimeMs;
  const isOlder = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).every((name) => {
      if (name.endsWith(".test.ts") || name.endsWith(".md")) return true;
      const found = statSync(join(root, folder, name), { throwIfNoEntry: false });
      return !found?.isFile() || found.mtimeMs <= built;
    });
  return ["src", "lab", "web"].every(isOlder);
}

async function takeLock(): Promise<() => void> {
  mkdirSync(join(root, "node_modules"), { recursive: true });
  await eventually("the other build ends", tryLock, { deadlineSec: 180, everyMs: 100 });
  return () => rmSync(lock, { force: true });
}

function tryLock(): boolean {
  try {
    closeSync(openSync(lock, "wx"));
    return true;
  } catch {
    const held = statSync(lock, { throwIfNoEntry: false });
    if (held && Date.now() - held.mtimeMs > STALE_MS) rmSync(lock, { force: true });
    return false;
  }
}

function build(): Promise<void> {
  return new Promise((resume, fail) => {
    const child = spawn("sh", [join(root, "scripts/build")], { stdio: ["ignore", "pipe", "pipe"] });
    let words = "";
    child.stdout.on("data", (chunk) => (words += chunk));
    child.stderr.on("data", (chunk) => (words += chunk));
    child.on("error", fail);
    child.on("close", (code) =>
      code === 0 ? resume() : fail(new Error(`scripts/build ended with ${code}\n${words.slice(-4000)}`)),
    );
  });
}
