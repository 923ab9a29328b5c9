import { expect, test } from "vitest";
import { listenAt } from "./start-up.ts";

const host = "127.0.0.1";

test("a port of the system's choice is one that browsers and our own command line may call", async () => {
  const offered = [6000, 10080, 4242];
  expect(await listenAt({ host, port: 0 }, async () => offered.shift() ?? 0)).toEqual({ host, port: 4242 });
  const { port } = await listenAt({ host, port: 0 });
  expect(port).toBeGreaterThan(0);
});

test("a port of somebody's choice is taken as it is, or refused before anybody calls it in vain", async () => {
  expect(await listenAt({ host, port: 8420 })).toEqual({ host, port: 8420 });
  await expect(listenAt({ host, port: 6667 })).rejects.toMatchObject({
    code: "bad-config",
    message: expect.stringContaining("refuse to call port 6667"),
  });
});
