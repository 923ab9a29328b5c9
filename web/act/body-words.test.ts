import { expect, test } from "vitest";
import { type Body, changeText, cliForMany, cliLine } from "./body-words.ts";

test.each<[Body, string | null, string]>([
  [{}, null, ""],
  [
    { site_bans: ["T2_DE_South", "T2_XX"] },
    "This also leaves out T2_DE_South, T2_XX for a week.",
    "--ban T2_DE_South --ban T2_XX ",
  ],
  [{ excluded_files: ["/store/a b.root"] }, "This also excludes /store/a b.root.", "--exclude '/store/a b.root' "],
  [
    { memory_mb: 3000, how: "rescue", retries: 2 },
    "This also gives jobs 3,000 MB, and retries a job up to 2 times.",
    "--memory '3000 MB' --retries 2 --how rescue ",
  ],
  [
    { hold_threshold: 0.25, top_up: false },
    "This also holds it when 25 % of its units have failed, and does not replace events that are given up.",
    "--threshold 0.25 --no-top-up ",
  ],
])("a release with %o", (body, text, options) => {
  expect(changeText(body)).toBe(text);
  expect(cliLine({ action: "release", body, reason: "disks" }, "muons")).toBe(
    `wms2 release muons ${options}--reason disks`,
  );
});

test.each<[Parameters<typeof cliLine>[0]["action"], Body, string]>([
  ["resubmit", { nodes: "failed" }, "wms2 resubmit muons --failed --reason '…'"],
  ["resubmit", { nodes: ["mg_1/proc_2"] }, "wms2 resubmit muons --nodes mg_1/proc_2 --reason '…'"],
  ["resubmit", { units: ["mg_1", "mg_2"] }, "wms2 resubmit muons --units mg_1 mg_2 --reason '…'"],
  ["abort", { invalidate: true }, "wms2 abort muons --invalidate --reason '…'"],
  ["restart", { cleanup_policy: "x" }, "wms2 restart muons --cleanup-policy x --reason '…'"],
  ["submit", {}, "wms2 submit muons"],
])("%s with %o", (action, body, line) => {
  expect(cliLine({ action, body, reason: "" }, "muons")).toBe(line);
});

test("for many: by filter or by name; one by one where a terminal does it so", () => {
  const filter = "--filter status=held";
  const act = (action: "hold" | "submit") => ({ action, body: {}, reason: "ok" });
  expect(cliForMany(act("hold"), undefined, filter)).toBe("wms2 hold --filter status=held --reason ok");
  expect(cliForMany(act("hold"), ["a", "b"], filter)).toBe("wms2 hold a b --reason ok");
  expect(cliForMany(act("submit"), ["a", "b"], filter)).toBe("wms2 submit a && wms2 submit b");
  expect(cliForMany(act("submit"), undefined, filter)).toBeNull();
});
