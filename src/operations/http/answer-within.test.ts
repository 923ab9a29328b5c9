import { expect, test } from "vitest";
import { answerWithin, promptly } from "./answer-within.ts";

test("what does not answer in time is not well, and nor is what fails", async () => {
  const never = () => new Promise<never>(() => {});
  expect(await answerWithin(5, never)).toEqual({ ok: false, text: "no answer within 0.005 s" });
  const broken = () => Promise.reject(new Error("the database is away"));
  expect(await answerWithin(1000, broken)).toEqual({ ok: false, text: "the database is away" });
});

test("while a look takes long, askers are told what was seen last; who comes first, or much later, waits for it", async () => {
  const looks: ((answer: string) => void)[] = [];
  const ask = promptly(60_000, () => new Promise<string>((answer) => looks.push(answer)));
  const [first, second] = [ask(), ask()];
  expect(looks.length).toBe(1);
  looks[0]?.("well");
  expect(await Promise.all([first, second])).toEqual(["well", "well"]);
  expect(await ask()).toBe("well");
  expect(await ask()).toBe("well");
  // One look is under way, however many ask.
  expect(looks.length).toBe(2);
  const prompt = ask();
  looks[1]?.("busy");
  expect(await prompt).toBe("busy");
  const old = promptly(0, () => new Promise<string>((answer) => looks.push(answer)));
  const before = old();
  looks[2]?.("then");
  expect(await before).toBe("then");
  const now = old();
  looks[3]?.("now");
  expect(await now).toBe("now");
});
