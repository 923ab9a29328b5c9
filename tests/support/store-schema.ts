import type { Sql } from "../../src/store/sql.ts";

const HEADER = `-- The schema as it stands after the last migration, for reading and review. Made from the catalogs by
--   UPDATE_SCHEMA=1 npx vitest run --project real tests/real/store-migrate.test.ts
-- and compared with every database in the tests. Not a script: tables are sorted by name.
`;

/** The same text for the same schema, whatever the database's version and locale. */
export async function describeSchema(sql: Sql): Promise<string> {
  const tables = await sql.query<{ oid: number; name: string }>(
    `SELECT oid::int AS oid, relname AS name FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname COLLATE "C"`,
  );
  const texts = await Promise.all(tables.map(({ oid, name }) => describeTable(sql, oid, name)));
  return [HEADER, ...texts].join("\n");
}

async function describeTable(sql: Sql, oid: number, name: string): Promise<string> {
  const columns = await lines(
    sql,
    `SELECT concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
       CASE WHEN c.collname <> 'default' THEN 'COLLATE "' || c.collname || '"' END,
       CASE WHEN a.attidentity = 'a' THEN 'GENERATED ALWAYS AS IDENTITY' END,
       CASE WHEN a.attnotnull THEN 'NOT NULL' END,
       'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)) AS line
     FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
     LEFT JOIN pg_collation c ON c.oid = a.attcollation
     WHERE a.attrelid = $1::int::oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
    oid,
  );
  // PostgreSQL 18 lists NOT NULL among the constraints; 15 does not.
  const constraints = await lines(
    sql,
    `SELECT 'CONSTRAINT ' || conname || ' ' || pg_get_constraintdef(oid) AS line FROM pg_constraint
     WHERE conrelid = $1::int::oid AND contype IN ('p', 'u', 'f', 'c')
     ORDER BY position(contype::text IN 'pucf'), conname COLLATE "C"`,
    oid,
  );
  const indexes = await lines(
    sql,
    `SELECT pg_get_indexdef(i.indexrelid) AS line FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE i.indrelid = $1::int::oid AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = i.indexrelid
       AND contype IN ('p', 'u'))
     ORDER BY c.relname COLLATE "C"`,
    oid,
  );
  const body = [...columns, ...constraints].map((line) => `  ${line}`).join(",\n");
  return [`CREATE TABLE ${name} (\n${body}\n);`, ...indexes.map((line) => `${line};`), ""].join("\n");
}

async function lines(sql: Sql, text: string, oid: number): Promise<readonly string[]> {
  return (await sql.query<{ line: string }>(text, [oid])).map(({ line }) => line);
}
