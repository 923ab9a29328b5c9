import { type Answer, type Asked, isRow, type Route, type Row } from "../http.ts";
import type { Did, World } from "../world.ts";
import { addReplica, checkOwner, filesBelow, findRse } from "./files.ts";
import { rulesOnDid } from "./rules.ts";
import { accountOf, anyBody, bodyOf, CREATED, didName, need, OK, object, RucioError, stream } from "./talk.ts";

export const DID_ROUTES: readonly Route[] = [
  ["POST", /^\/dids\/?$/, createMany],
  ["POST", /^\/dids\/attachments\/?$/, attachMany],
  ["POST", /^\/dids\/([^/]+)\/(.+)\/dids\/?$/, attachOne],
  ["PUT", /^\/dids\/([^/]+)\/(.+)\/status\/?$/, setStatus],
  ["GET", /^\/dids\/([^/]+)\/(.+)\/(dids|files|parents|rules)\/?$/, related],
  ["GET", /^\/dids\/([^/]+)\/(.+)$/, show],
  ["POST", /^\/dids\/([^/]+)\/(.+)$/, createOne],
];

function createOne(world: World, asked: Asked, scope: string, name: string): Answer {
  const did = readDid(world, asked, { scope, name: didName(name), type: need(bodyOf(asked), "type") });
  if (world.dids.has(did.name)) throw exists(did.name);
  world.dids.put(did.name, did);
  return CREATED;
}

const NAMES: Readonly<Record<string, RegExp>> = {
  CONTAINER: /^\/[A-Za-z0-9_-]{1,99}\/[A-Za-z0-9._-]{1,199}\/[A-Z0-9-]{1,99}$/,
  DATASET: /^\/[A-Za-z0-9_-]{1,99}\/[A-Za-z0-9._-]{1,199}\/[A-Z0-9-]{1,99}#[A-Za-z0-9._-]{1,100}$/,
  FILE: /^\/store\/[A-Za-z0-9._/-]{1,493}$/,
};

function readDid(world: World, asked: Asked, row: Row): Did {
  const account = accountOf(world, asked);
  if (row.scope !== "cms") throw new RucioError(404, "ScopeNotFound", `Scope '${row.scope}' does not exist`);
  checkOwner(world, account);
  const type = String(row.type).toUpperCase();
  if (!NAMES[type]?.test(String(row.name)))
    throw new RucioError(400, "InvalidObject", `Problem validating name: ${row.name} does not fit type ${type}`);
  return { name: String(row.name), type: type as Did["type"], account, open: true, bytes: null, adler32: null };
}
const exists = (name: string): RucioError =>
  new RucioError(409, "DataIdentifierAlreadyExists", `Data identifier cms:${name} already exists!`);

/** All or none: one that is there already spoils the lot. */
function createMany(world: World, asked: Asked): Answer {
  const rows = anyBody(asked);
  if (!Array.isArray(rows)) throw new RucioError(400, "TypeError", "body must be a json array");
  const dids = rows.filter(isRow).map((row) => readDid(world, asked, row));
  for (const { name } of dids) if (world.dids.has(name)) throw exists(name);
  for (const did of dids) world.dids.put(did.name, did);
  return CREATED;
}

const absent = (name: string): RucioError =>
  new RucioError(404, "DataIdentifierNotFound", `Data identifier 'cms:${name}' not found`);

function attachOne(world: World, asked: Asked, scope: string, name: string): Answer {
  const row = bodyOf(asked);
  attach(world, asked, [{ ...row, scope, name: didName(name) }], { ignoreDuplicate: false, mismatch: 500 });
  return CREATED;
}
function attachMany(world: World, asked: Asked): Answer {
  const body = bodyOf(asked);
  const rows = need(body, "attachments") as Row[];
  attach(world, asked, rows, { ignoreDuplicate: body.ignore_duplicate === true, mismatch: 412 });
  return CREATED;
}

/** Everything is checked before anything is done: all or nothing per call. */
function attach(world: World, asked: Asked, rows: readonly Row[], how: { ignoreDuplicate: boolean; mismatch: number }) {
  const account = accountOf(world, asked);
  checkOwner(world, account);
  const links: (() => void)[] = [];
  for (const row of rows) {
    const parent = world.dids.get(String(row.name));
    if (!parent) throw absent(String(row.name));
    if (!parent.open)
      throw new RucioError(409, "UnsupportedOperation", `Data identifier 'cms:${parent.name}' is closed`);
    const rse = row.rse ? findRse(world, String(row.rse)) : null;
    for (const child of need(row, "dids") as Row[]) {
      const name = String(child.name);
      const known = world.dids.get(name);
      if (!known && !rse) throw absent(name);
      checkChild(parent, name, known, child, rse !== null, how.mismatch);
      const key = `${parent.name}\0${name}`;
      if (world.contents.has(key) && !how.ignoreDuplicate) throw duplicate(parent, name);
      links.push(() => {
        if (rse) addReplica(world, account, rse.rse, child);
        if (!world.contents.has(key)) world.contents.put(key, { parent: parent.name, child: name });
      });
    }
  }
  for (const link of links) link();
}

function checkChild(parent: Did, name: string, known: Did | undefined, child: Row, makes: boolean, mismatch: number) {
  const type = known?.type ?? "FILE";
  if ((parent.type === "DATASET") !== (type === "FILE"))
    throw new RucioError(409, "UnsupportedOperation", `cms:${name} of type ${type} cannot be in a ${parent.type}`);
  if (!makes) return;
  if (!NAMES.FILE!.test(name)) throw new RucioError(400, "InvalidObject", `Problem validating name: ${name}`);
  if (!/^[0-9a-f]{8}$/i.test(String(child.adler32)) || !Number.isInteger(child.bytes))
    throw new RucioError(500, "InvalidObject", `Problem validating bytes or adler32 of ${name}`);
  if (known && (known.bytes !== child.bytes || known.adler32 !== child.adler32))
    throw new RucioError(mismatch, "FileConsistencyMismatch", `${name} is known with another size or checksum`);
}
const duplicate = (parent: Did, name: string): RucioError =>
  parent.type === "CONTAINER"
    ? new RucioError(409, "DuplicateContent", `cms:${name} is already in cms:${parent.name}`)
    : new RucioError(409, "FileAlreadyExists", `cms:${name} is already in cms:${parent.name}`);

function setStatus(world: World, asked: Asked, _scope: string, path: string): Answer {
  accountOf(world, asked);
  const did = world.dids.get(didName(path));
  if (!did) throw absent(didName(path));
  if (bodyOf(asked).open !== false || !did.open)
    throw new RucioError(409, "UnsupportedOperation", `The status of cms:${did.name} cannot be changed`);
  world.dids.put(did.name, { ...did, open: false });
  return OK;
}

/** A DID that is kept, or one of a dataset made up by rule. */
export function findDid(world: World, name: string): Did {
  const did = world.dids.get(name);
  if (did) return did;
  const made = world.generatedOf(name);
  if (!made) throw absent(name);
  const type = made.block === null ? "CONTAINER" : "DATASET";
  return { name, type, account: "emulate", open: false, bytes: null, adler32: null };
}

function show(world: World, asked: Asked, _scope: string, path: string): Answer {
  const did = findDid(world, didName(path));
  const base = { scope: "cms", name: did.name, type: did.type, account: did.account };
  if (did.type === "FILE")
    return object(asked, { ...base, length: 1, bytes: did.bytes, adler32: did.adler32, md5: null });
  const files = asked.query.has("dynamic") || !did.open ? filesBelow(world, did.name) : null;
  const bytes = files?.reduce((sum, file) => sum + (file.bytes ?? 0), 0) ?? null;
  return object(asked, {
    ...base,
    open: did.open,
    monotonic: false,
    expired_at: null,
    length: files?.length ?? null,
    bytes,
  });
}

function related(world: World, asked: Asked, _scope: string, path: string, what: string): Answer {
  const { name } = findDid(world, didName(path));
  if (what === "rules") return stream(asked, rulesOnDid(world, name));
  const shown = (did: Did) => ({
    scope: "cms",
    name: did.name,
    type: did.type,
    bytes: did.bytes,
    adler32: did.adler32,
    md5: null,
  });
  if (what === "files") return stream(asked, filesBelow(world, name).map(shown));
  const made = world.generatedOf(name);
  if (made && made.block === null && what === "dids")
    return stream(
      asked,
      Array.from({ length: made.made.spec.blocks }, (_, at) => shown(findDid(world, made.made.blockName(at)))),
    );
  const near =
    what === "dids"
      ? world.childrenOf(name).map(({ child }) => child)
      : world.parentsOf(name).map(({ parent }) => parent);
  return stream(
    asked,
    near.map((other) => shown(findDid(world, other))),
  );
}
