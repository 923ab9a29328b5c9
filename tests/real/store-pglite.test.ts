import { expect, test } from "vitest";
import { storeContract } from "../support/store-contract.ts";
import { freshStore } from "../support/store-embedded.ts";

storeContract("the store on PGlite", freshStore);

test("statements in a row leave callers and timers their turn", async () => {
  const { sql } = await freshStore();
  let turns = 0;
  const count = () => {
    turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const end = performance.now() + 200;
  while (performance.now() < end) await sql.query("SELECT 1");
  clearImmediate(next);
  // One for each 20 ms, where nobody else keeps the machine busy.
  expect(turns).toBeGreaterThan(1);
});
