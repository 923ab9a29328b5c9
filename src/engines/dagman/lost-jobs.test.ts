import { describe, expect, it } from "vitest";
import { parseEvents } from "../../submit-dir/event-log.ts";
import type { StatusFile } from "../format/status-file.ts";
import { abortText, awaitedJobs, decideLost } from "./lost-jobs.ts";

const submit = (cluster: number, node: string) =>
  `000 (${cluster}.000.000) 2026-11-18 13:01:22 Job submitted from host: <127.0.0.1:9618>\n    DAG Node: ${node}\n...\n`;
const end = (cluster: number) =>
  `005 (${cluster}.000.000) 2026-11-18 13:01:23 Job terminated.\n\t(1) Normal termination (return value 0)\n...\n`;
const status = (states: Record<string, string>) =>
  ({ nodes: Object.entries(states).map(([name, state]) => ({ name, state })) }) as unknown as StatusFile;

describe("jobs whose end nobody wrote down", () => {
  const log =
    submit(11, "a") +
    submit(12, "b") +
    submit(13, "c") +
    end(12) +
    submit(14, "a") +
    submit(15, "d") +
    abortText("15", new Date(0));
  it("are among those DAGMan waits for: the last of each node that it believes queued, without an end", () => {
    expect(awaitedJobs(log, status({ a: "queued", b: "post", c: "queued", d: "queued" }))).toEqual([
      { node: "a", cluster: "14" },
      { node: "c", cluster: "13" },
    ]);
    expect(awaitedJobs(log, status({ a: "ready", c: "done" }))).toEqual([]);
    expect(awaitedJobs(log + submit(16, "e").slice(0, 40), status({ e: "queued" }))).toEqual([]);
  });
  it("are lost only when two looks missed them", () => {
    const awaited = [
      { node: "a", cluster: "14" },
      { node: "c", cluster: "13" },
    ];
    const first = decideLost(awaited, new Set(["13"]), new Set());
    expect(first).toEqual({ lost: [], missed: new Set(["14"]) });
    expect(decideLost(awaited, new Set(["13"]), first.missed).lost).toEqual([{ node: "a", cluster: "14" }]);
    expect(decideLost(awaited, new Set(["13", "14"]), first.missed)).toEqual({ lost: [], missed: new Set() });
  });
  it("are told as HTCondor tells of any removed job", () => {
    const [event] = parseEvents(abortText("14", new Date("2026-11-18T13:36:00Z")));
    expect(event).toMatchObject({ kind: "aborted", cluster: 14 });
  });
});
