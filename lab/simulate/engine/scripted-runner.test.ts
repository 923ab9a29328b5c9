import { runnerContract } from "../../../tests/support/runner-contract.ts";
import { VirtualTime } from "../virtual-time.ts";
import { ScriptedRunner } from "./scripted-runner.ts";
import { SitePool } from "./site-pool.ts";

const NONE = { userSec: 0, systemSec: 0, wallSec: 0, memoryMb: null };

runnerContract("scripted", () => {
  const time = new VirtualTime(new Date(0));
  const end = (code: number) => () => ({ kind: "exited" as const, code, used: NONE });
  const runner = new ScriptedRunner(time, new SitePool([{ name: "here", cores: 2, speed: 1 }]), {
    placed: () => {},
    begins: ({ arguments: [does] }) => ({
      seconds: does === "wait" ? 1000 : 1,
      end: end(does === "wait" ? 0 : Number(does)),
      takenAway: end(-1002),
    }),
  });
  const moveOn = (ms: number) => {
    time.moveTo(ms);
    time.runDue();
  };
  return {
    runner,
    argumentsFor: (does) => ({ executable: "scripted", arguments: [String(does)], initialDir: "/" }),
    finish: () => moveOn(time.ms + 1_000_000),
    until: async (what, isTrue) => {
      while (!isTrue()) {
        if (time.nextMs === null) throw new Error(`nothing more happens: ${what}`);
        moveOn(time.nextMs);
      }
    },
    close: () => runner.close(),
  };
});
