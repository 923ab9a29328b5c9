import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stringify } from "../../../src/core/base/json.ts";
import type { Attempt } from "../../../src/recovery/attempt.ts";
import type { Decision } from "../../../src/recovery/decision.ts";
import type { AttemptRecord } from "../../../src/recovery/ledger-record.ts";
import { ledgerText, postJson } from "../../../src/recovery/records.ts";
import { pinned } from "../../../src/submit-dir/include-file.ts";
import type { Manifest } from "../../../src/submit-dir/manifest.ts";
import { attemptFile, nodeFile, UNIT } from "../../../src/submit-dir/names.ts";
import { readIfThere, replace } from "../../../src/submit-dir/post/disk.ts";
import { postJsonText } from "../../../src/submit-dir/post-json.ts";

/** What jobs, POST and DAGMan leave in a submit directory (docs/submit-directory.md). */
export function writeVerdict(
  unitDir: string,
  attempt: Attempt,
  decision: Decision,
  record: AttemptRecord,
  isFirst: boolean,
): void {
  const { node, cluster } = attempt;
  const post = join(unitDir, nodeFile(node, "post"));
  const line = ledgerText(record);
  // Nobody reads the post.json of a node that never failed; a verdict of before is replaced.
  if (decision.decision === "succeed") {
    const text = `{"node_name":"${node}","final":true,"verdict":${line.trim()}}\n`;
    if (!isFirst) writeFileSync(post, text);
  } else {
    writeFileSync(post, postJsonText(postJson(attempt, decision, record)));
    const leave = (kind: "err" | "report", text: string) =>
      writeFileSync(join(unitDir, attemptFile(node, cluster ?? -1, kind)), `${text}\n`);
    if (cluster !== null && attempt.stderrTail) leave("err", attempt.stderrTail);
    if (cluster !== null && attempt.report) leave("report", JSON.stringify(attempt.report));
  }
  appendFileSync(join(unitDir, UNIT.ledger), line);
}

/** As bin/elect. */
export function pinTo(unitDir: string, site: string): void {
  const include = join(unitDir, UNIT.include);
  replace(include, pinned(readIfThere(include) ?? "", site));
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
  replace(join(unitDir, UNIT.mergeOutput), text);
}
