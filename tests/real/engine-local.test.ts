import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeLocalEngine } from "../../src/engines/local/local-engine.ts";
import { engineContract } from "../support/engine-contract.ts";
import { graphContract } from "../support/engine-contract-graph.ts";
import { removeData } from "../support/remove-data.ts";

const open = async () => {
  const root = await mkdtemp(path.join(tmpdir(), "wms2-contract-"));
  const engine = makeLocalEngine({
    dir: path.join(root, "engine"),
    sites: [{ name: "here", cores: 16, memoryMb: 16384 }],
  });
  return { engine, root, close: () => engine.close().then(() => removeData(root)) };
};

engineContract("local", open);
graphContract("local", open);
