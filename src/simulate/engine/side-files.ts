import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stringify } from "../../base/json.ts";
import type { Attempt } from "../../recovery/attempt.ts";
import type { Decision } from "../../recovery/decision.ts";
import type { AttemptRecord } from "../../recovery/ledger-record.ts";
import { ledgerText, postJson } from "../../recovery/records.ts";
import { readIfThere, replace } from "../../submit-host/disk.ts";
import type { Manifest } from "./submit-dir.ts";

/** What jobs, POST and DAGMan leave in a submit directory (docs/submit-directory.md). */
export function writeVerdict(
  unitDir: string,
  attempt: Attempt,
  decision: Decision,
  record: AttemptRecord,
  isFirst: boolean,
): void {
  const base = join(unitDir, attempt.node);
  const line = ledgerText(record);
  // Nobody reads the post.json of a node that never failed; a verdict of before is replaced.
  if (decision.decision === "succeed") {
    const text = `{"node_name":"${attempt.node}","final":true,"verdict":${line.trim()}}\n`;
    if (!isFirst) writeFileSync(`${base}.post.json`, text);
  } else {
    writeFileSync(`${base}.post.json`, `${JSON.stringify(postJson(attempt, decision, record))}\n`);
    if (attempt.cluster !== null) {
      if (attempt.stderrTail) writeFileSync(`${base}.${attempt.cluster}.err`, `${attempt.stderrTail}\n`);
      if (attempt.report)
        writeFileSync(`${base}.${attempt.cluster}.report.json`, `${JSON.stringify(attempt.report)}\n`);
    }
  }
  appendFileSync(join(unitDir, "ledger.jsonl"), line);
}

/** As bin/elect: the DESIRED_Sites line is replaced, the others stay. */
export function pinTo(unitDir: string, site: string): void {
  const inc = readIfThere(join(unitDir, "group.inc")) ?? "";
  const others = inc.split("\n").filter((line) => line && !/^(My\.|\+)DESIRED_Sites\b/i.test(line));
  replace(join(unitDir, "group.inc"), [`My.DESIRED_Sites = "${site}"`, ...others, ""].join("\n"));
}

/** The merged files, small but real, and merge_output.json. Their content says what was merged. */
export function writeMerged(unitDir: string, unit: string, manifest: Manifest, site: string | null): void {
  const nodes = Object.entries(manifest.nodes);
  const eventsOf = (names: typeof nodes) => names.reduce((sum, [, node]) => sum + (node.events ?? 0), 0);
  const outputs = manifest.outputs
    .filter(({ keep }) => keep)
    .flatMap((output) => {
      const pieces =
        output.merge === "none"
          ? nodes.map((node) => ({ name: `/${node[0]}.${output.file}`, from: [node] }))
          : [{ name: "", from: nodes }];
      return pieces.map(({ name, from }) => {
        const text = `${unit}${name} ${output.name}: ${from.map(([node]) => node).join(" ")}\n`;
        const path = `${output.path}${name}`;
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, text);
        return {
          output: output.name,
          dataset: output.dataset,
          lfn: `${output.lfn}${name}`,
          path,
          sizeBytes: Buffer.byteLength(text),
          checksum: `cksum:${text.length}`,
          events: eventsOf(from),
          parents: [...new Set(from.flatMap(([, node]) => node.inputs.map(({ lfn }) => lfn)))],
        };
      });
    });
  const head = { version: 1, unit, block: manifest.block, site, events: eventsOf(nodes) };
  const text = `${stringify(head).slice(0, -1)},"outputs":[\n${outputs.map((row) => stringify(row)).join(",\n")}\n]}\n`;
  replace(join(unitDir, "merge_output.json"), text);
}
