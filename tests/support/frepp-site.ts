import { chmodSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RequestName, WorkflowId } from "../../src/core/names.ts";
import type { NodeId, NodeRow, SegmentsWork } from "../../src/core/segments.ts";
import { makeFreppWorld } from "../../src/kinds/segments/shell/frepp-commands.ts";
import { KINDS } from "../../src/kinds/table.ts";
import type { Work } from "../../src/loop/ports.ts";
import { makeSpool } from "../../src/submit-dir/disk/spool.ts";
import { sampleSegments, TRANSFER } from "./sample-segments.ts";
import { freshStore } from "./store-embedded.ts";
import { sampleSpec, sampleWorkflow } from "./store-fixtures.ts";
import { tempDir } from "./temp-dir.ts";
import { POLICY } from "./world.ts";

/**
 * A site that runs frepp: a state directory, argument files, and commands that print what the story wrote for them. `queue`,
 * `accounting` and `named` are files; the commands print them, and end with 1 when there is none.
 */
export async function makeFreppSite(change: Partial<SegmentsWork> = {}) {
  const dir = tempDir("frepp");
  const [state, args, archive] = ["state", "args", "archive"].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ];
  for (const one of [state, args, archive]) mkdirSync(one);
  const script = (name: string): readonly string[] => {
    const path = join(dir, `${name}.sh`);
    writeFileSync(
      path,
      `#!/bin/sh\necho "$*" >> ${dir}/${name}.calls\n[ -f ${dir}/hang ] && exec sleep 60\nexec cat ${dir}/${name}\n`,
    );
    chmodSync(path, 0o755);
    return [path];
  };
  const store = await freshStore();
  const history = {
    ...sampleSegments().history,
    path: "{date}.nc.tar",
    transfer: { ...TRANSFER, argumentFiles: args },
  };
  const work = sampleSegments({ directory: archive, history, ...change });
  const [name, workflowId] = ["cm5" as RequestName, "w-cm5" as WorkflowId];
  let now = new Date("2026-11-16T12:00:00Z");
  await store.requests.create({ ...sampleSpec(name), work }, "queued", [], "ada", now);
  await store.workflows.create(sampleWorkflow(workflowId, name));
  const frepp = makeFreppWorld({
    queue: [...script("queue"), "{ids}"],
    accounting: [...script("accounting"), "{ids}"],
    queueByName: [...script("named"), "{names}"],
    timeoutSec: 3,
  });
  const logged: string[] = [];
  const log = (event: string, detail: Record<string, unknown>) =>
    void logged.push(`${event} ${JSON.stringify(detail)}`);
  const directories = { spoolDir: join(dir, "spool"), storageDir: join(dir, "storage"), owner: null };
  const spool = makeSpool(directories as Parameters<typeof makeSpool>[0]);
  const ports = {
    ...{ store, frepp, spool, kinds: KINDS, policy: POLICY },
    clock: { now: () => now },
    log: { info: log, warn: log, error: log },
  } as unknown as Work;
  const put = (where: string, file: string, text: string, minutesAgo: number): void => {
    const at = new Date(now.getTime() - minutesAgo * 60_000);
    writeFileSync(join(where, file), text);
    utimesSync(join(where, file), at, at);
  };
  for (let year = 1; year <= 20; year++) put(archive, `${String(year).padStart(4, "0")}0101.nc.tar`, "history", 60);
  return {
    ...{ dir, state, args, archive, name, work, ports, logged },
    /** What a command prints from now on. */
    says: (command: "queue" | "accounting" | "named", text: string) => writeFileSync(join(dir, command), text),
    calls: (command: string) =>
      readFileSync(join(dir, `${command}.calls`), "utf8")
        .trim()
        .split("\n"),
    hang: () => writeFileSync(join(dir, "hang"), ""),
    stateFile: (file: string, text: string, minutesAgo = 60) => put(state, file, text, minutesAgo),
    argumentFile: (file: string, text: string, minutesAgo = 60) => put(args, file, text, minutesAgo),
    makes: (path: string) => {
      mkdirSync(join(archive, path, ".."), { recursive: true });
      writeFileSync(join(archive, path), "data");
    },
    wait: (seconds: number) => {
      now = new Date(now.getTime() + seconds * 1000);
    },
    /** All files of the state directory, as they are. */
    directory: () =>
      Object.fromEntries(
        readdirSync(state)
          .sort()
          .map((file) => [file, readFileSync(join(state, file), "utf8")]),
      ),
    async rows(): Promise<ReadonlyMap<NodeId, NodeRow>> {
      const rows = new Map<NodeId, NodeRow>();
      for await (const some of store.segmentNodes.rows(workflowId)) for (const row of some) rows.set(row.id, row);
      return rows;
    },
    request: async () => (await store.requests.get(name))!,
    write: (rows: readonly NodeRow[]) => store.segmentNodes.write(workflowId, rows),
  };
}
