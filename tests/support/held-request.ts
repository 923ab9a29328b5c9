import type { DagId, RequestName } from "../../src/core/names.ts";
import { generation, type makeWorld } from "./world.ts";

type World = Awaited<ReturnType<typeof makeWorld>>;

/** Three units; `failed` of them fail as told, the others finish; the request ends up held. */
export async function heldRequest(
  world: World,
  failed: number,
  how: Parameters<World["engine"]["fail"]>[1] = {},
): Promise<{ name: RequestName; dagId: DagId }> {
  const name = await world.submit(generation("r", 3));
  for (let pass = 0; pass < 5; pass++) await world.pass();
  world.engine.fail(failed, how);
  world.engine.finish(world.storageDir);
  for (let pass = 0; pass < 4; pass++) await world.pass();
  await world.expectStatus(name, "held");
  return { name, dagId: (await world.workflow(name)).currentDagId as DagId };
}
