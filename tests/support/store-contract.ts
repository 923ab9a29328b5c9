import { afterAll, beforeAll, beforeEach, describe } from "vitest";
import { deskContract } from "./store-contract-desk.ts";
import { operatorContract } from "./store-contract-operators.ts";
import { outputContract } from "./store-contract-outputs.ts";
import { recoveryContract } from "./store-contract-recovery.ts";
import { requestContract } from "./store-contract-requests.ts";
import { restContract } from "./store-contract-rest.ts";
import { segmentContract } from "./store-contract-segments.ts";
import { sqlContract } from "./store-contract-sql.ts";
import { unitContract } from "./store-contract-units.ts";
import { workContract } from "./store-contract-work.ts";
import type { TestStore } from "./store-embedded.ts";

/** What every database under the store must do. `open` gives an empty, migrated one. */
export function storeContract(name: string, open: () => Promise<TestStore>): void {
  describe(name, () => {
    let opened: TestStore;
    const store = (): TestStore => opened;
    beforeAll(async () => {
      opened = await open();
    });
    beforeEach(() => opened.reset());
    afterAll(() => opened?.close());

    sqlContract(store);
    requestContract(store);
    workContract(store);
    unitContract(store);
    outputContract(store);
    restContract(store);
    operatorContract(store);
    recoveryContract(store);
    deskContract(store);
    segmentContract(store);
  });
}
