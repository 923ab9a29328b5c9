import { beforeEach, describe, expect, it, test } from "vitest";
import { freshStore, type TestStore } from "../../../../tests/support/store-embedded.ts";
import { decideDelivery, waitAfter } from "./decide-delivery.ts";
import { makeAlertDelivery } from "./delivery.ts";
import type { AlertMessage } from "./message.ts";
import { raiseAndClose } from "./raise-and-close.ts";
import type { Sink } from "./sink.ts";

let store: TestStore;
let now: Date;
const clock = { now: () => now };
const log = { info() {}, warn() {}, error() {} };
const wait = (seconds: number) => {
  now = new Date(now.getTime() + seconds * 1000);
};
const raise = (key: string, severity: "info" | "warning" | "critical" = "warning") =>
  store.alerts.raise({ key, severity, subject: key, message: `about ${key}`, at: now });

class TestSink implements Sink {
  readonly told: AlertMessage[] = [];
  tries = 0;
  broken: string | null = null;
  readonly name: string;
  readonly minSeverity: Sink["minSeverity"];
  constructor(name: string, minSeverity: Sink["minSeverity"] = "info") {
    this.name = name;
    this.minSeverity = minSeverity;
  }
  async tell(message: AlertMessage) {
    this.tries += 1;
    if (this.broken) throw new Error(this.broken);
    this.told.push(message);
  }
  get words() {
    return this.told.map(({ subject, change, severity }) => `${subject} ${change} ${severity}`);
  }
}

beforeEach(async () => {
  store = await freshStore();
  now = new Date("2026-01-01T00:00:00Z");
});

describe("delivery", () => {
  it("tells every change once, to every sink", async () => {
    const sinks = [new TestSink("one"), new TestSink("two")];
    const delivery = makeAlertDelivery(store, sinks, clock, log);
    await raise("held:a");
    expect(await delivery.deliverOnce()).toBe(2);
    await raise("held:a");
    expect(await delivery.deliverOnce()).toBe(0);
    await raise("held:a", "critical");
    await store.alerts.close("held:a", now);
    expect(await delivery.deliverOnce()).toBe(2);
    expect(await makeAlertDelivery(store, sinks, clock, log).deliverOnce()).toBe(0);
    for (const sink of sinks) expect(sink.words).toEqual(["held:a opened warning", "held:a closed critical"]);
  });

  it("spares a sink what is less severe, but not the end of a story it knows", async () => {
    const pager = new TestSink("pager", "critical");
    const deliver = () => makeAlertDelivery(store, [pager], clock, log).deliverOnce();
    await raise("engine:x", "warning");
    await raise("held:a", "warning");
    expect(await deliver()).toBe(0);
    await raise("engine:x", "critical");
    await deliver();
    await raise("engine:x", "info");
    await deliver();
    await store.alerts.close("engine:x", now);
    await store.alerts.close("held:a", now);
    await deliver();
    expect(pager.words).toEqual(["engine:x severity critical", "engine:x severity info", "engine:x closed info"]);
  });

  it("tries a broken sink later and later, tells the others of it, and catches up", async () => {
    const good = new TestSink("good");
    const bad = new TestSink("bad");
    bad.broken = "no route to host";
    const delivery = makeAlertDelivery(store, [bad, good], clock, log);
    for (const key of ["held:a", "held:b", "held:c"]) await raise(key);
    await delivery.deliverOnce();
    expect([good.tries, bad.tries]).toEqual([3, 1]);
    for (let second = 0; second < 600; second += 5) {
      wait(5);
      await delivery.deliverOnce();
    }
    expect(bad.tries).toBeLessThan(10);
    expect(good.words.at(-1)).toBe("bad opened warning");
    expect(good.told.at(-1)?.message).toContain("no route to host");
    await store.alerts.close("held:c", now);
    bad.broken = null;
    wait(4000);
    await delivery.deliverOnce();
    await delivery.deliverOnce();
    expect([...bad.words].sort()).toEqual(["held:a opened warning", "held:b opened warning", "held:c closed warning"]);
    expect(good.words.at(-1)).toBe("bad closed warning");
    expect((await store.alerts.open()).map(({ key }) => key)).toEqual(["held:a", "held:b"]);
  });

  it("one alert that a sink refuses does not keep the others back", async () => {
    const picky = new TestSink("picky");
    const tell = picky.tell.bind(picky);
    picky.tell = async (message) => {
      if (message.subject === "held:a") throw new Error("400");
      return tell(message);
    };
    const delivery = makeAlertDelivery(store, [picky], clock, log);
    for (const key of ["held:a", "held:b"]) await raise(key);
    await delivery.deliverOnce();
    wait(11);
    await delivery.deliverOnce();
    expect(picky.words).toEqual(["held:b opened warning"]);
  });

  it("forgets the trouble of a sink that is configured no more", async () => {
    await raise("sink:gone");
    await makeAlertDelivery(store, [], clock, log).deliverOnce();
    expect(await store.alerts.open()).toEqual([]);
  });
});

test("waits grow to an hour", () => {
  expect([0, 1, 2, 3, 9, 10, 1000].map(waitAfter)).toEqual([0, 10, 20, 40, 2560, 3600, 3600]);
});

test("a failed try waits for its time", async () => {
  await raise("held:a");
  const [first] = await store.alerts.undelivered("s", 1);
  if (!first) throw new Error("nothing to tell");
  const sink = { name: "s", minSeverity: "info" } as const;
  const tried = { ...first, tries: 2, triedAt: now };
  expect(decideDelivery(tried, sink, false, new Date(now.getTime() + 19_000))).toBe("later");
  expect(decideDelivery(tried, sink, false, new Date(now.getTime() + 20_000))).toBe("tell");
});

describe("raiseAndClose", () => {
  const wish = (key: string, message = "m") => ({ key, severity: "warning" as const, subject: "s", message });
  it("opens what is wanted, closes what is not, and leaves other families and the unchanged alone", async () => {
    await raise("other:x");
    expect(await raiseAndClose(store, ["held"], [wish("held:a"), wish("held:b")], now)).toEqual({
      raised: 2,
      closed: 0,
    });
    expect(await raiseAndClose(store, ["held"], [wish("held:a"), wish("held:b")], now)).toEqual({
      raised: 0,
      closed: 0,
    });
    expect(await raiseAndClose(store, ["held"], [wish("held:b", "other words")], now)).toEqual({
      raised: 1,
      closed: 1,
    });
    expect((await store.alerts.open()).map(({ key, count }) => [key, count])).toEqual([
      ["other:x", 1],
      ["held:b", 2],
    ]);
  });
});
