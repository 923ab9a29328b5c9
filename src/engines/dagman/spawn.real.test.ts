import { describe, expect, it } from "vitest";
import { spawnCommand } from "./spawn.ts";

describe("starting a command", () => {
  const at = { cwd: "/", timeoutSec: 5 };
  it("hands over arguments as they are and reports the exit code", async () => {
    const odd = "$(touch /tmp/never) `x` ; \"'";
    expect(await spawnCommand({ ...at, argv: ["printf", "%s", odd] })).toEqual({ code: 0, stdout: odd, stderr: "" });
    expect(await spawnCommand({ ...at, argv: ["sh", "-c", "echo no >&2; exit 3"] })).toMatchObject({
      code: 3,
      stderr: "no\n",
    });
  });
  it.each([
    ["takes too long", { argv: ["sleep", "9"], cwd: "/", timeoutSec: 0.1 }, /did not answer within/],
    ["is not there", { argv: ["/no/such/program"], cwd: "/", timeoutSec: 5 }, /cannot be run/],
    ["has no directory", { argv: ["true"], cwd: "/no/such/dir", timeoutSec: 5 }, /cannot be run/],
    ["is killed", { argv: ["sh", "-c", "kill -9 $$"], cwd: "/", timeoutSec: 5 }, /was killed by SIGKILL/],
  ])("%s: the engine is unreachable", async (_name, request, text) => {
    await expect(spawnCommand(request)).rejects.toMatchObject({
      code: "engine-unreachable",
      message: expect.stringMatching(text),
    });
  });
});
