import { createHash } from "node:crypto";
import { err, ok, type Result } from "../core/base/result.ts";
import { type NeededFile, neededFiles } from "../core/cms-files.ts";
import { holdFor } from "../core/holds.ts";
import type { HoldReason, RequestFile, RequestSpec } from "../core/request.ts";
import type { Work } from "./ports.ts";

/**
 * All files that travel with the jobs of a request. What was not submitted is fetched once and stored with the others, so
 * that every round and every attempt has the same, whatever becomes of it in the place it came from.
 */
export async function loadRequestFiles(
  ports: Work,
  spec: RequestSpec,
): Promise<Result<readonly RequestFile[], HoldReason>> {
  const stored = await ports.store.requests.files(spec.name);
  const missing = neededFiles(spec).filter(({ path }) => !stored.some((file) => file.path === path));
  if (missing.length === 0) return ok(stored);
  const fetched: RequestFile[] = [];
  for (const needed of missing) {
    const text = await fetchText(ports, needed);
    if (!text.ok) return text;
    const content = new TextEncoder().encode(text.value);
    const sha256 = createHash("sha256").update(content).digest("hex");
    fetched.push({ path: needed.path, executable: false, sha256, content });
    ports.log.info("file.fetched", { request: spec.name, path: needed.path, bytes: content.length, sha256 });
  }
  const files = [...stored, ...fetched];
  await ports.store.requests.replaceFiles(spec.name, files);
  return ok(files);
}

async function fetchText({ catalog, signal }: Work, needed: NeededFile): Promise<Result<string, HoldReason>> {
  if (needed.from === "config-cache") {
    const { id, path } = needed;
    if (!catalog.requests) return err(noConfiguration(id, path, "this installation has no config cache to ask"));
    const text = await catalog.requests.configuration(id);
    return text === null ? err(noConfiguration(id, path, "the config cache has no such document")) : ok(text);
  }
  const all = { runs: [], lumis: null };
  const opened = await catalog.datasets.open(
    { from: "dataset", dataset: needed.dataset, mask: all },
    { lumis: false },
    signal,
  );
  if (!opened.ok) return err(holdFor(opened.error.code, opened.error.message, opened.error.evidence));
  let text = "";
  for await (const page of opened.value) for (const { path } of page) text += `${path}\n`;
  return ok(text);
}

const noConfiguration = (id: string, path: string, why: string): HoldReason =>
  holdFor("configuration-missing", `the configuration ${id} cannot be had: ${why}`, { id, path });
