import { describe, expect, it } from "vitest";
import { InvariantError } from "../../src/core/base/errors.ts";
import type { TestStore } from "./store-embedded.ts";
import { at, sampleSpec } from "./store-fixtures.ts";

export function sqlContract(store: () => TestStore): void {
  describe("values and transactions", () => {
    it("reads every type alike", async () => {
      const [row] = await store().sql.query(
        `SELECT $1::bigint AS big, $2::timestamptz AS time, $3::jsonb AS doc, $4::bytea AS bytes, $5::text[] AS words,
           $6::bigint[] AS bigs, $7::float8 AS share, $8::text AS nul, NULL::jsonb AS nothing, '[]'::json AS list,
           ARRAY[]::bigint[] AS none, true AS yes`,
        [
          9_223_372_036_854_775_807n,
          new Date("2026-03-29T01:30:00.123Z"),
          '{"a":[1,"2",null]}',
          new Uint8Array([0, 255, 10]),
          ["a,b", 'c"d', "{e}", "f\\g", ""],
          [1n, 2n],
          0.1,
          "a\0b",
        ],
      );
      expect(row).toStrictEqual({
        big: 9_223_372_036_854_775_807n,
        time: new Date("2026-03-29T01:30:00.123Z"),
        doc: { a: [1, "2", null] },
        bytes: new Uint8Array([0, 255, 10]),
        words: ["a,b", 'c"d', "{e}", "f\\g", ""],
        bigs: [1n, 2n],
        share: 0.1,
        nul: "a\uFFFDb",
        nothing: null,
        list: [],
        none: [],
        yes: true,
      });
    });

    it("keeps all of a transaction or nothing, nested ones included", async () => {
      const failure = store().transaction(async (outer) => {
        await outer.requests.create(sampleSpec("a"), "new", [], "ada", at(0));
        await outer.transaction((inner) => inner.requests.create(sampleSpec("b"), "new", [], "ada", at(0)));
        throw new Error("changed my mind");
      });
      await expect(failure).rejects.toThrow("changed my mind");
      expect(await store().requests.countByStatus()).toEqual({});
    });

    it("refuses to use the outer store inside a transaction instead of waiting for itself", async () => {
      const use = store().transaction(() => store().ping());
      await expect(use).rejects.toThrow(InvariantError);
      await store().ping();
    });

    it("does not pretend to commit a transaction in which a statement failed", async () => {
      const swallowed = store().transaction(async (tx) => {
        await tx.requests.create(sampleSpec("a"), "new", [], "ada", at(0));
        await tx.workflows.create({ id: "w", requestName: "nobody" } as never).catch(() => {});
        return "fine";
      });
      await expect(swallowed).rejects.toThrow();
      expect(await store().requests.get("a" as never)).toBeNull();
    });

    it("calls a wrong statement a bug and keeps the cause", async () => {
      const error = await store()
        .sql.query("SELECT 1 / 0")
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(InvariantError);
      expect((error as InvariantError).message).toContain("division by zero");
      expect((error as InvariantError).cause).toBeInstanceOf(Error);
      expect((error as InvariantError).evidence).toMatchObject({ code: "22012", statement: "SELECT 1 / 0" });
    });
  });
}
