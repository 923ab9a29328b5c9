import { makeTurns, type Turns } from "../../core/base/turns.ts";
import type { Ports } from "../../loop/ports.ts";
import { makeFailureWatch } from "./watch-failures.ts";

/** More often than a sample is kept, so that each is of the end of its five minutes. */
const SAMPLE_SEC = 60;

/** What the desk knows of many requests at once: how far they are, for histories and estimates, and what fails. */
export function makeDeskTurns(ports: Ports, isLeader: () => Promise<boolean>): readonly Turns[] {
  const { store, clock, log } = ports;
  const work = () => store.desk.sample(clock.now());
  return [
    makeTurns({ name: "desk.history", everySec: SAMPLE_SEC, firstSec: 10, log, isLeader, work }),
    makeFailureWatch(ports, isLeader),
  ];
}
