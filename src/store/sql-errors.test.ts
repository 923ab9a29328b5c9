import { expect, test } from "vitest";
import { translateSqlError } from "./sql-errors.ts";

const full = 'could not extend file "base/5/16782": No space left on device';
test.each([
  ["PostgreSQL's code", Object.assign(new Error("disk full"), { code: "53100" })],
  ["Node's code", Object.assign(new Error("write"), { code: "ENOSPC" })],
  ["the embedded database's words", new Error(full)],
])("a full disk says so: %s", (_story, error) => {
  expect(translateSqlError(error, "db", "INSERT")).toMatchObject({
    code: "store-unreachable",
    message: "the disk of the database is full (db)",
    hint: expect.stringContaining("free space"),
  });
});

test("other errors do not", () => {
  const error = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
  expect(translateSqlError(error, "db", "INSERT").message).toBe("the database cannot be used (db)");
});
