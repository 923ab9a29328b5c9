import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EVENTS } from "../../../tests/support/engine-samples.ts";
import { type JobEvent, parseEvents } from "./event-log.ts";

const read = (text: string) => parseEvents(Buffer.from(text));
const event = (text: string): JobEvent => read(text).events[0]!;

describe("the event log", () => {
  it("reads a real one", () => {
    const { events, problems, consumed } = read(EVENTS);
    expect(problems).toEqual([]);
    expect(consumed).toBe(Buffer.byteLength(EVENTS));
    expect(events.map((each) => `${each.number} ${each.kind} ${each.cluster}`)).toEqual([
      "0 submit 28",
      "0 submit 30",
      "1 execute 28",
      "28 job-ad 28",
      "1 execute 30",
      "12 held 30",
      "5 terminated 28",
      "28 job-ad 28",
      "9 aborted 30",
    ]);
    expect(events[0]).toMatchObject({ node: "v", at: "2026-11-15 19:31:35", proc: 0 });
    expect(events[2]).toMatchObject({ site: "T2_XX_Alpha", slot: "slot1_1@localhost" });
    expect(events[3]!.site).toBe("T2_XX_Alpha");
    expect(events[4]!.site).toBeNull();
    expect(events[5]).toMatchObject({ hold: { code: 3, subcode: 50660 }, reason: 'WMS2 "memory"' });
    expect(events[6]!.exit).toEqual({ code: 0 });
    expect(events[7]!.exit).toEqual({ code: 0 });
    expect(events[8]!.reason).toMatch(/^The job attribute PeriodicRemove expression/);
  });
  it.each([
    ["\t(1) Normal termination (return value 85)", { code: 85 }],
    ["\t(0) Abnormal termination (signal 9)", { signal: 9 }],
    ["\tgarbled", null],
  ])("an end: %s", (line, exit) => {
    expect(event(`005 (1234567.000.000) 2026-11-15 19:31:38 Job terminated.\n${line}\n...\n`).exit).toEqual(exit);
  });
  it("reads in steps: cut anywhere, the two parts give what the whole gives", () => {
    const bytes = Buffer.from(EVENTS.replace('WMS2 "memory"', "WMS2 µ"));
    const whole = parseEvents(bytes).events;
    fc.assert(
      fc.property(fc.nat(bytes.length), (at) => {
        const first = parseEvents(bytes.subarray(0, at));
        const rest = parseEvents(bytes.subarray(first.consumed));
        expect([...first.events, ...rest.events]).toEqual(whole);
      }),
    );
  });
  it("CRLF makes no difference", () => {
    expect(read(EVENTS.replaceAll("\n", "\r\n")).events).toEqual(read(EVENTS).events);
  });
  it("steps over what is no event and never throws", () => {
    const { events, problems } = read(`rubbish\n...\n${EVENTS}`);
    expect([events.length, problems.length]).toEqual([9, 1]);
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void parseEvents(bytes)));
    fc.assert(
      fc.property(
        fc.string({ unit: "binary-ascii" }),
        (text) => void read(`001 (1.0.0) 2026-11-15 19:31:38 x\n${text}\n...\n`),
      ),
    );
  });
});
