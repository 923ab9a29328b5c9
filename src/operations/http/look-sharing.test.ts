import { expect, test } from "vitest";
import { SharedLook } from "./look-sharing.ts";

/** A look that answers what was true when it began. */
function world() {
  const state = { value: 0, looks: 0 };
  const ends: (() => void)[] = [];
  const look = () => {
    state.looks += 1;
    const seen = state.value;
    return new Promise<number>((resolve) => ends.push(() => resolve(seen)));
  };
  const endOne = async () => {
    ends.shift()!();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { state, look, endOne };
}

test("those who come during a look share the next one, which sees what they did before", async () => {
  const { state, look, endOne } = world();
  const shared = new SharedLook<number>();
  const first = shared.ask("list", look);
  state.value = 1;
  const others = [shared.ask("list", look), shared.ask("list", look), shared.ask("list", look)];
  expect(state.looks).toBe(1);
  await endOne();
  expect(state.looks).toBe(2);
  state.value = 2;
  const late = shared.ask("list", look);
  await endOne();
  await endOne();
  expect(await first).toBe(0);
  expect(await Promise.all(others)).toEqual([1, 1, 1]);
  expect(await late).toBe(2);
  expect(state.looks).toBe(3);
});

test("nothing is kept, and other questions are other looks", async () => {
  const { state, look, endOne } = world();
  const shared = new SharedLook<number>();
  for (const key of ["a", "b", "a"]) {
    const answer = shared.ask(key, look);
    await endOne();
    await answer;
  }
  expect(state.looks).toBe(3);
});

test("with a time to keep, an answer serves who comes soon; what changes here is seen at once", async () => {
  const { state, look, endOne } = world();
  const shared = new SharedLook<number>(60_000);
  const ask = async () => {
    const answer = shared.ask("list", look);
    await endOne();
    return answer;
  };
  expect(await ask()).toBe(0);
  state.value = 1;
  expect(await shared.ask("list", look)).toBe(0);
  shared.changed();
  expect(await ask()).toBe(1);
  expect(state.looks).toBe(2);
});

test("an answer is not kept when something changed while it was looked for, nor longer than its time", async () => {
  const { state, look, endOne } = world();
  const shared = new SharedLook<number>(60_000);
  const first = shared.ask("list", look);
  state.value = 1;
  shared.changed();
  await endOne();
  expect(await first).toBe(0);
  const second = shared.ask("list", look);
  await endOne();
  expect(await second).toBe(1);
  const brief = new SharedLook<number>(1e-9);
  for (let turn = 0; turn < 2; turn += 1) {
    const answer = brief.ask("list", look);
    await endOne();
    await answer;
  }
  expect(state.looks).toBe(4);
});

test("a look that fails fails its askers only", async () => {
  const shared = new SharedLook<number>();
  const first = shared.ask("k", () => Promise.reject(new Error("away")));
  const second = shared.ask("k", async () => 7);
  await expect(first).rejects.toThrow("away");
  expect(await second).toBe(7);
});
