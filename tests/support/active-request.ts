import type { RequestName } from "../../src/core/names.ts";
import type { OperatorRequest } from "../../src/operations/handlers/port.ts";
import { generation, makeWorld } from "./world.ts";

export type World = Awaited<ReturnType<typeof makeWorld>>;

export const ask = (
  world: World,
  name: RequestName,
  wanted: Partial<OperatorRequest> & Pick<OperatorRequest, "action">,
  dryRun = false,
) => world.commands.act(name, { reason: "because", ...wanted }, { actor: "ann", version: null, dryRun });

export async function running(units: number, over: Record<string, unknown> = {}) {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", units, over));
  await world.pass();
  await world.expectStatus(name, "active");
  return { world, name };
}

/** Ends the run with failures and looks at it. */
export async function endWith(world: World, failed: number, how = {}) {
  world.engine.fail(failed, how);
  world.engine.finish(world.storageDir);
  await world.pass();
}
