import type { imports } from "../../imports.ts";
import type { Runs } from "../call.ts";
import { given } from "../cursor.ts";

export const importRuns: Runs<typeof imports> = {
  list({ outcome, ...page }, call) {
    const filters = given({ outcome });
    return call.page(page, filters, (wanted) => call.queries.imports({ ...filters, ...wanted }));
  },
};
