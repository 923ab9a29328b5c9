import type { Row } from "../http.ts";
import type { Did, Rse, World } from "../world.ts";
import { RucioError } from "./talk.ts";

export function findRse(world: World, name: string): Rse {
  const rse = world.rses.get(name);
  if (!rse) throw new RucioError(404, "RSENotFound", `RSE '${name}' cannot be found`);
  return rse;
}

/** Scope cms belongs to those with the admin attribute. */
export function checkOwner(world: World, account: string): void {
  if (world.accounts.get(account)?.admin) return;
  throw new RucioError(401, "AccessDenied", `Account ${account} can not write to scope cms`);
}

/** The file becomes known with its replica; of a known one the first size stays. */
export function addReplica(world: World, account: string, rse: string, file: Row): void {
  const name = String(file.name);
  const adler32 = file.adler32 === undefined ? null : String(file.adler32);
  if (!world.dids.has(name))
    world.dids.put(name, { name, type: "FILE", account, open: false, bytes: Number(file.bytes), adler32 });
  const state = STATES[String(file.state ?? "A")] ?? "AVAILABLE";
  if (!world.replicas.has(`${rse}\0${name}`)) world.replicas.put(`${rse}\0${name}`, { name, rse, state });
}
const STATES: Readonly<Record<string, string>> = { A: "AVAILABLE", U: "UNAVAILABLE", C: "COPYING", B: "BAD" };

export function filesBelow(world: World, name: string): Did[] {
  const did = world.dids.get(name);
  if (did?.type === "FILE") return [did];
  return world.childrenOf(name).flatMap(({ child }) => filesBelow(world, child));
}
