import { expect, test } from "vitest";
import { lacksPostgres } from "./support/postgres.ts";

test("without PostgreSQL its tests are skipped on a desk, and fail where everything has to run", () => {
  expect(lacksPostgres("/usr/bin", "true")).toBe(false);
  expect(lacksPostgres(null, "")).toBe(true);
  expect(() => lacksPostgres(null, "true")).toThrow("install postgresql");
});
