import { expect, test } from "vitest";
import { type ExecWords, execDocument } from "./exec-document.ts";

const words = (over: Partial<ExecWords>) =>
  execDocument({
    name: "x",
    directory: "/here",
    command: [],
    commands: null,
    each: [],
    atOnce: null,
    resources: {},
    ...over,
  });
const jobOf = (over: Partial<ExecWords>): unknown => {
  const document = words(over);
  return document.ok ? (document.value.jobs as readonly unknown[])[0] : document.error;
};

test("a document as somebody would have written it", () => {
  expect(words({ command: ["./a.sh"], atOnce: 3, resources: { memory: "1GB" } })).toEqual({
    ok: true,
    value: {
      name: "x",
      kind: "graph",
      directory: "/here",
      resources: { memory: "1GB" },
      jobs: [{ name: "job", run: ["./a.sh"], at_once: 3 }],
    },
  });
});

test.each<[string, Partial<ExecWords>, unknown]>([
  ["words are never split", { command: ["echo", "a  b"] }, { name: "job", run: ["echo", "a  b"] }],
  [
    "braces of others stand for themselves",
    { command: ["awk", "{print $1} {x} {{"] },
    { name: "job", run: ["awk", "{{print $1}} {{x}} {{{{"] },
  ],
  [
    "a parameter",
    { command: ["./t", "{lr}", "{n:03d}", "{other}"], each: ["lr=0.1, 0.01", "n=1..3,7"] },
    {
      name: "job lr={lr} n={n}",
      each: ["lr", "n"],
      parameters: { lr: ["0.1", "0.01"], n: ["1", "2", "3", "7"] },
      run: ["./t", "{lr}", "{n:03d}", "{{other}}"],
    },
  ],
  [
    "lines: comments and empty ones are left out, numbers are those of the file",
    { commands: "# head\nsort a | uniq\n\n  ./b {x}\n" },
    {
      name: "{called}",
      each: { zip: ["called", "command"] },
      parameters: { called: ["line 2", "line 4"], command: ["sort a | uniq", "./b {x}"] },
      run: ["sh", "-c", "{command}"],
    },
  ],
  [
    "lines for every combination, the first varying slowest",
    { commands: "./t {a}-{b:02d} {c}\n", each: ["a=x,y", "b=1..2"] },
    {
      name: "{called}",
      each: { zip: ["called", "command"] },
      parameters: {
        called: ["line 1 a=x b=1", "line 1 a=x b=2", "line 1 a=y b=1", "line 1 a=y b=2"],
        command: ["./t x-01 {c}", "./t x-02 {c}", "./t y-01 {c}", "./t y-02 {c}"],
      },
      run: ["sh", "-c", "{command}"],
    },
  ],
])("%s", (_, over, job) => {
  expect(jobOf(over)).toEqual(job);
});

test.each<[Partial<ExecWords>, RegExp]>([
  [{}, /give a command after --, or a file/],
  [{ command: ["a"], commands: "b" }, /give a command after --, or a file/],
  [{ commands: "# none\n" }, /has none/],
  [{ command: ["a"], each: ["lr"] }, /--each needs name=values, got "lr"/],
  [{ command: ["a"], each: ["1x=2"] }, /no digit first/],
  [{ command: ["a"], each: ["x=1", "x=2"] }, /names x twice/],
  [{ command: ["a"], each: ["x=5..1 step 1"] }, /"5..1 step 1" never gets from 5 to 1/],
  [{ commands: "./t {x:03d}", each: ["x=a"] }, /line 1: a value does not fit/],
])("what is wrong with %j", (over, why) => {
  expect(jobOf(over)).toMatch(why);
});
