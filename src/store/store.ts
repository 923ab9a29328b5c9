import { alertStore } from "./alerts.ts";
import { auditStore } from "./audit.ts";
import { dagStore } from "./dags.ts";
import { deskStore } from "./desk.ts";
import { fileStore } from "./files.ts";
import { importStore } from "./imports.ts";
import { intentStore } from "./intents.ts";
import { nodeActionStore } from "./node-actions.ts";
import { outputBlockStore } from "./outputs.ts";
import type { Store } from "./port.ts";
import { SpecMemory } from "./request-rows.ts";
import { requestStore } from "./requests.ts";
import { ruleStore } from "./rules.ts";
import { segmentNodeStore } from "./segment-nodes.ts";
import { settingStore } from "./settings.ts";
import { siteStore } from "./sites.ts";
import type { Sql } from "./sql.ts";
import { unitStore } from "./units.ts";
import { workflowStore } from "./workflows.ts";

/** The store over a database whose schema is up to date (see open.ts). */
export const openStore = (sql: Sql, specs = new SpecMemory()): Store => ({
  requests: requestStore(sql, specs),
  workflows: workflowStore(sql),
  dags: dagStore(sql),
  units: unitStore(sql),
  outputs: outputBlockStore(sql),
  files: fileStore(sql),
  sites: siteStore(sql),
  alerts: alertStore(sql),
  audit: auditStore(sql),
  nodeActions: nodeActionStore(sql),
  intents: intentStore(sql),
  imports: importStore(sql),
  rules: ruleStore(sql),
  segmentNodes: segmentNodeStore(sql),
  settings: settingStore(sql),
  desk: deskStore(sql),
  transaction: (work) => sql.transaction((tx) => work(openStore(tx, specs))),
  ping: async () => void (await sql.query("SELECT 1")),
  close: () => sql.close(),
});
