import { type Answer, type Asked, isRow, type Route, type Row } from "../http.ts";
import type { Did, World } from "../world.ts";
import { rsesOf } from "./expression.ts";
import { addReplica, checkOwner, filesBelow, findRse } from "./files.ts";
import { accountOf, bodyOf, CREATED, didName, need, RucioError, stream } from "./talk.ts";

export const REPLICA_ROUTES: readonly Route[] = [
  ["POST", /^\/replicas\/?$/, addReplicas],
  ["POST", /^\/replicas\/list\/?$/, list],
  ["GET", /^\/replicas\/([^/]+)\/(.+)\/datasets\/?$/, listBlock],
];

function listBlock(world: World, asked: Asked, _scope: string, name: string): Answer {
  return stream(asked, blockReplicas(world, didName(name), asked.query.get("deep") === "True"));
}

function addReplicas(world: World, asked: Asked): Answer {
  const account = accountOf(world, asked);
  const body = bodyOf(asked);
  const { rse } = findRse(world, String(need(body, "rse")));
  checkOwner(world, account);
  const files = need(body, "files") as Row[];
  for (const { name, adler32 } of files)
    if (adler32 !== undefined && !/^[0-9a-f]{8}$/i.test(String(adler32)))
      throw new RucioError(500, "InvalidObject", `Problem validating adler32 of ${name}: ${adler32}`);
  for (const file of files) addReplica(world, account, rse, file);
  return CREATED;
}

function list(world: World, asked: Asked): Answer {
  const body = bodyOf(asked);
  const dids = (need(body, "dids") as unknown[]).filter(isRow).map(({ name }) => String(name));
  const wanted = body.rse_expression ? rsesOf(world, String(body.rse_expression)) : undefined;
  if (wanted === null || wanted?.length === 0)
    throw new RucioError(
      500,
      "InvalidRSEExpression",
      `RSE Expression resulted in an empty set: ${body.rse_expression}`,
    );
  const names = wanted && new Set(wanted.map(({ rse }) => rse));
  const [only] = dids;
  const made = dids.length === 1 && only !== undefined ? world.generatedOf(only) : null;
  if (made) return stream(asked, made.made.rows("replicas", made.block, "lines"));
  const files = dids.flatMap((name) => filesBelow(world, name));
  const rows = files.flatMap((file) => replicaRow(world, file, names, body.all_states === true) ?? []);
  return stream(asked, rows);
}

/** `states` names every RSE; the other two only those with a way to read from outside, which tape has not. */
function replicaRow(world: World, file: Did, wanted: Set<string> | undefined, allStates: boolean): Row | null {
  const replicas = world
    .replicasOf(file.name)
    .filter(({ rse, state }) => (!wanted || wanted.has(rse)) && (allStates || state === "AVAILABLE"));
  if (wanted && replicas.length === 0) return null;
  const readable = replicas.filter(({ rse }) => world.rses.get(rse)?.rse_type === "DISK");
  const pfn = (rse: string): string => `davs://${rse.toLowerCase().replaceAll("_", "-")}.example:443${file.name}`;
  const about = { type: "DISK", volatile: false, domain: "wan", priority: 1, client_extract: false };
  return {
    scope: "cms",
    name: file.name,
    bytes: file.bytes,
    md5: null,
    adler32: file.adler32,
    pfns: Object.fromEntries(readable.map(({ rse }) => [pfn(rse), { rse_id: rse, rse, ...about }])),
    rses: Object.fromEntries(readable.map(({ rse }) => [rse, [pfn(rse)]])),
    states: Object.fromEntries(replicas.map(({ rse, state }) => [rse, state])),
  };
}

/** Counted when asked for deeply; otherwise by a daemon that never came. */
function blockReplicas(world: World, name: string, deep: boolean): Row[] {
  const made = world.generatedOf(name);
  if (made) {
    const { files_per_block, file_bytes, blocks, rses } = made.made.spec;
    const length = files_per_block * (made.block === null ? blocks : 1);
    const counts = {
      length,
      bytes: length * file_bytes,
      available_length: length,
      available_bytes: length * file_bytes,
    };
    return rses.map((rse) => ({ scope: "cms", name, rse, ...counts, state: "AVAILABLE" }));
  }
  const files = filesBelow(world, name);
  const bytes = (of: readonly Did[]): number => of.reduce((sum, file) => sum + (file.bytes ?? 0), 0);
  const rses = new Set(files.flatMap((file) => world.replicasOf(file.name).map(({ rse }) => rse)));
  return [...rses].map((rse) => {
    const there = files.filter((file) => world.replicas.get(`${rse}\0${file.name}`)?.state === "AVAILABLE");
    const state = there.length === files.length ? "AVAILABLE" : "UNAVAILABLE";
    const counted = { available_length: deep ? there.length : 0, available_bytes: deep ? bytes(there) : 0 };
    return { scope: "cms", name, rse, length: files.length, bytes: bytes(files), ...counted, state };
  });
}
