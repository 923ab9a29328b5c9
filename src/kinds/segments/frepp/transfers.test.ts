import fc from "fast-check";
import { expect, test } from "vitest";
import { jobNames, readArgumentName, readArguments } from "./arguments.ts";
import { decideLock, decideTransfer, needsForce } from "./transfer.ts";

const NOW = new Date("2026-11-16T12:00:00Z");
const minutesAgo = (minutes: number): Date => new Date(NOW.getTime() - minutes * 60_000);
const QUIET = { text: "" };

const FILE = `# arguments of one segment
set jobScript = "/home/ana/CM5/scripts/run/CM5"
set stagingType = Staged
set actionCombineOn = 1
set actionCheckOn = 0
set actionSaveOn = 1
set actionXferOn = 1
set actionPPStartOn = 1
set saveRetries = 4
set xferRetries = 6
set saveRetry = 0
set xferRetry = 0
set actionCombineOk = 1
set actionSaveOk = 1
`;
const failed = (times: number): string => FILE + "@ xferRetry++\n".repeat(times);
const stateOf = (text: string, minutes = 0, lock: Parameters<typeof decideTransfer>[2] = null) =>
  decideTransfer(readArguments(text), { changedAt: minutesAgo(minutes) }, lock, NOW);

test("the name of an argument file tells the run, the segment and what is transferred", () => {
  const name = "CM5.o2392699.output.stager.19700101.H.args";
  expect(readArgumentName(name)).toEqual({ run: "CM5.o2392699", date: "19700101", output: "history" });
  expect(readArgumentName(`${name}.lock`)).toBeNull();
  expect(jobNames(name)).toContain("CM5.o2392699.output.stager.19700101.HT");
});

test("progress and counters are appended, and the last word counts", () => {
  const { actions, transfers, saves } = readArguments(failed(3));
  expect(actions.filter(({ isOn, isDone }) => isOn && !isDone).map(({ name }) => name)).toEqual(["transfer", "start"]);
  expect(transfers).toEqual({ failed: 3, limit: 6 });
  expect(saves).toEqual({ failed: 0, limit: 4 });
});

test.each([
  ["nothing failed yet", FILE, 0, "due"],
  ["one failure waits an hour", failed(1), 59, "waiting"],
  ["… and is due then", failed(1), 60, "due"],
  ["five failures wait 16 hours", failed(5), 15 * 60, "waiting"],
  ["six are within the limit", failed(6), 33 * 60, "due"],
  ["seven are not", failed(7), 999 * 60, "used-up"],
  ["what cannot be retried needs a person", `${FILE}set saveRetry = -1\nset xferRetry = -1\n`, 0, "needs-person"],
  ["a save is counted by itself", FILE.replace("set actionSaveOk = 1\n", "@ saveRetry = 5\n"), 0, "used-up"],
  ["the starter was accepted", `${FILE}set actionXferOk = 1\nset actionPPStartOk = 1\n`, 0, "done"],
  ["a file that broke off", "set jobScript = x", 0, "unreadable"],
] as const)("%s", (_, text, minutes, kind) => expect(stateOf(text, minutes).kind).toBe(kind));

test("case 23: a lock of nobody, 20 minutes old, is stale; 2 minutes old, it is left alone", () => {
  expect(decideLock(minutesAgo(20), [QUIET, QUIET], NOW).kind).toBe("stale");
  expect(decideLock(minutesAgo(2), [QUIET, QUIET], NOW).kind).toBe("held");
  expect(decideLock(minutesAgo(20), [QUIET, { text: "4711 PENDING\n" }], NOW)).toMatchObject({ kind: "held" });
  expect(stateOf(FILE, 0, decideLock(minutesAgo(20), [QUIET], NOW)).kind).toBe("due");
  expect(stateOf(FILE, 0, decideLock(minutesAgo(2), [QUIET], NOW)).kind).toBe("locked");
});

test.each([
  ["does not answer", { text: null, reason: "it took longer than 30 s" }],
  ["says something else", { text: "slurm_load_jobs error: Unable to contact slurm controller\n" }],
])("a lock stays when the queue %s", (_, said) => {
  expect(decideLock(minutesAgo(600), [QUIET, said], NOW).kind).toBe("unknown");
});

test("case 24: past the limit only force helps", () => {
  expect(needsForce(stateOf(failed(7)))).toBe(true);
  expect(needsForce(stateOf(failed(6)))).toBe(false);
});

test("law: any text has a state, and a failure that is appended counts", () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom(...FILE.split("\n"), "@ xferRetry++", "set xferRetry = -7", "@ x"),
  );
  fc.assert(
    fc.property(fc.array(line), fc.nat(2000), (lines, minutes) => {
      const text = lines.join("\n");
      const { failed } = readArguments(text).transfers;
      expect(stateOf(text, minutes).reason).not.toBe("");
      if (failed >= 0) expect(readArguments(`${text}\n@ xferRetry++`).transfers.failed).toBe(failed + 1);
    }),
  );
});
