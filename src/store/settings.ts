import { json } from "./columns.ts";
import type { OperatorToken, SettingStore } from "./port.ts";
import type { Sql } from "./sql.ts";

export const settingStore = (sql: Sql): SettingStore => ({
  ...settings(sql),
  ...leases(sql),
  ...tokens(sql),
  ...sessions(sql),
});

const settings = (sql: Sql): Pick<SettingStore, "get" | "set"> => ({
  async get<T>(key: string): Promise<T | null> {
    const found = await sql.query<{ value: T | null }>("SELECT value FROM settings WHERE key = $1", [key]);
    return found[0]?.value ?? null;
  },

  async set(key, value, actor, at) {
    await sql.query(
      `INSERT INTO settings (key, value, updated_by, updated_at) VALUES ($1, $2::jsonb, $3, $4)
       ON CONFLICT (key) DO UPDATE
         SET value = excluded.value, updated_by = excluded.updated_by, updated_at = excluded.updated_at`,
      [key, json(value), actor, at],
    );
  },
});

/** One that ends so many times later than any would that is taken now is of a clock that has been set back since. */
const LEASES_AHEAD = 20;

const leases = (sql: Sql): Pick<SettingStore, "takeLease" | "dropLease" | "lease"> => ({
  // One statement: of two servers that find it expired, the second sees the first one's row and gets nothing.
  async takeLease(name, owner, now, until) {
    const taken = await sql.query(
      `INSERT INTO leases (name, owner, until) VALUES ($1, $2, $4::timestamptz)
       ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until
         WHERE leases.owner = excluded.owner OR leases.until <= $3::timestamptz
           OR leases.until > $3::timestamptz + ${LEASES_AHEAD} * ($4::timestamptz - $3::timestamptz)
       RETURNING name`,
      [name, owner, now, until],
    );
    return taken.length > 0;
  },

  async dropLease(name, owner) {
    await sql.query("DELETE FROM leases WHERE name = $1 AND owner = $2", [name, owner]);
  },

  async lease(name) {
    const text = "SELECT owner, until FROM leases WHERE name = $1";
    return (await sql.query<{ owner: string; until: Date }>(text, [name]))[0] ?? null;
  },
});

const sessions = (sql: Sql): Pick<SettingStore, "addSession" | "findSession" | "removeSession"> => ({
  async addSession({ sha256, tokenSha256, at, until }) {
    await sql.query(
      `WITH old AS (DELETE FROM sessions WHERE expires_at <= $3::timestamptz)
       INSERT INTO sessions (sha256, token_sha256, expires_at) VALUES ($1, $2, $4)`,
      [sha256, tokenSha256, at, until],
    );
  },

  // One that ends later than any would that begins now is of a clock that has been set back since: it is shortened.
  async findSession(sha256, at, latest) {
    const found = await sql.query<{ name: string; until: Date }>(
      `WITH shortened AS (UPDATE sessions SET expires_at = $3::timestamptz WHERE sha256 = $1 AND expires_at > $3::timestamptz)
       SELECT t.name, least(s.expires_at, $3::timestamptz) AS until
       FROM sessions s JOIN operator_tokens t ON t.sha256 = s.token_sha256
       WHERE s.sha256 = $1 AND s.expires_at > $2::timestamptz`,
      [sha256, at, latest],
    );
    return found[0] ?? null;
  },

  async removeSession(sha256) {
    return (await sql.query("DELETE FROM sessions WHERE sha256 = $1 RETURNING 1", [sha256])).length > 0;
  },
});

const tokens = (sql: Sql): Pick<SettingStore, "addToken" | "listTokens" | "removeToken" | "findToken"> => ({
  async addToken({ sha256, name, at }) {
    await sql.query(
      "INSERT INTO operator_tokens (sha256, name, created_at) VALUES ($1, $2, $3) ON CONFLICT (sha256) DO NOTHING",
      [sha256, name, at],
    );
  },

  async listTokens() {
    return sql.query<OperatorToken>(
      'SELECT sha256, name, created_at AS "createdAt" FROM operator_tokens ORDER BY created_at, sha256',
    );
  },

  async removeToken(sha256) {
    const removed = await sql.query(
      `DELETE FROM operator_tokens WHERE sha256 = $1 AND EXISTS (SELECT 1 FROM operator_tokens WHERE sha256 <> $1)
       RETURNING 1`,
      [sha256],
    );
    return removed.length > 0;
  },

  async findToken(sha256) {
    const found = await sql.query<{ name: string }>("SELECT name FROM operator_tokens WHERE sha256 = $1", [sha256]);
    return found[0] ?? null;
  },
});
