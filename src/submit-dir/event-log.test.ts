import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EVENTS } from "../../tests/support/engine-samples.ts";
import { parseEvents } from "./event-log.ts";

describe("the event log", () => {
  it("reads a real one", () => {
    const events = parseEvents(EVENTS);
    expect(events.map((each) => `${each.kind} ${each.cluster}`)).toEqual([
      "submit 28",
      "submit 30",
      "execute 28",
      "other 28",
      "execute 30",
      "held 30",
      "terminated 28",
      "other 28",
      "aborted 30",
    ]);
    expect(events[0]!.body).toEqual(["DAG Node: v"]);
    expect(events[2]!.body).toContain('GLIDEIN_CMSSite = "T2_XX_Alpha"');
    expect(events[5]!.body).toEqual(['WMS2 "memory"', "Code 3 Subcode 50660"]);
    expect(events[6]!.exit).toEqual({ code: 0 });
    expect(events[8]!.body[0]).toMatch(/^The job attribute PeriodicRemove expression/);
  });
  it.each([
    ["\t(1) Normal termination (return value 85)", { code: 85 }],
    ["\t(0) Abnormal termination (signal 9)", { signal: 9 }],
    ["\tgarbled", null],
  ])("an end: %s", (line, exit) => {
    const text = `005 (1234567.000.000) 2026-11-15 19:31:38 Job terminated.\n${line}\n...\n`;
    expect(parseEvents(text)).toMatchObject([{ cluster: 1234567, exit }]);
  });
  it("cut anywhere, it gives the events that are whole", () => {
    const whole = parseEvents(EVENTS);
    fc.assert(
      fc.property(fc.nat(EVENTS.length), (at) => {
        const cut = EVENTS.slice(0, at);
        const ends = cut.split("\n...\n").length - 1;
        expect(parseEvents(cut)).toEqual(whole.slice(0, ends));
      }),
    );
  });
  it("an event that was never ended does not hide the next one", () => {
    expect(parseEvents(`012 (007.000.000) 2026-11-15 19:31:38 Job was held.\n\tx\n${EVENTS}`)).toEqual(
      parseEvents(EVENTS),
    );
  });
  it("CRLF makes no difference", () => {
    expect(parseEvents(EVENTS.replaceAll("\n", "\r\n"))).toEqual(parseEvents(EVENTS));
  });
  it("steps over what is no event and never throws", () => {
    expect(parseEvents(`rubbish\n...\n${EVENTS}`)).toEqual(parseEvents(EVENTS));
    fc.assert(fc.property(fc.string({ unit: "binary-ascii", maxLength: 300 }), (text) => void parseEvents(text)));
    fc.assert(
      fc.property(
        fc.string({ unit: "binary-ascii" }),
        (text) => void parseEvents(`001 (1.0.0) 2026-11-15 19:31:38 x\n${text}\n...\n`),
      ),
    );
  });
});
