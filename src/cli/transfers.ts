import type { RetriedView, TransferView } from "../operations/frepp.ts";
import { aRequest, command, group, listing, told } from "./command.ts";
import { CHANGES } from "./fill.ts";
import { type Columns, color, table } from "./view/table.ts";
import { count, stamp } from "./view/text.ts";

const COLORS = {
  done: "green",
  due: "green",
  submitted: "cyan",
  waiting: "yellow",
  locked: "yellow",
  failed: "yellow",
  held: "red",
  "used-up": "red",
  "needs-person": "red",
  unreadable: "red",
} as const;
const tries = (of: TransferView["saves"]): string =>
  of === null ? "" : of.failed < 0 ? "never again" : `${of.failed}/${of.limit}`;

const TRANSFERS: Columns<TransferView> = [
  ["segment", ({ segment }) => segment],
  ["output", ({ output }) => output],
  ["state", ({ state }, { paint }) => color(state, COLORS, paint)],
  ["saves", ({ saves }) => tries(saves), "right"],
  ["transfers", ({ transfers }) => tries(transfers), "right"],
  ["left", ({ left }) => left.join(" ")],
  ["lock", ({ lock }) => lock ?? ""],
  ["next", ({ until }) => (until === null ? "" : stamp(until, "minute"))],
  ["why", ({ reason }) => reason, "flexible"],
];

const list = command("list", {
  isDefault: true,
  about: "how far the output of each segment is on its way: by argument files of frepp, and by WMS2's own tries",
  arguments: { "<name>": aRequest("the request, of kind segments") },
  examples: ["wms2 transfers cm5", "wms2 transfers cm5 --json"],
  async run({ client }, name: string) {
    const { items } = await client.frepp.transfers({ name });
    const stuck = items.filter(({ state }) => ["held", "used-up", "needs-person"].includes(state)).length;
    const foot =
      stuck > 0 ? `${count(stuck, "transfer")} stuck: wms2 transfers retry ${name} --force --yes tries again` : "";
    return listing(TRANSFERS, items, "no transfer is under way, and none is stuck", foot);
  },
});

type Retried = RetriedView["items"][number];
const RETRIED: Columns<Retried> = [
  ["segment", ({ segment }) => segment],
  ["", ({ action }, { paint }) => color(action, { retry: "green", leave: "yellow" }, paint)],
  ["why", ({ reason }) => reason, "flexible"],
];

const retry = command("retry", {
  about: "try transfers again now, stale locks removed first; only a preview, unless --yes",
  arguments: { "<name>": aRequest("the request"), "[segments...]": "like 0013; all that are not done when left out" },
  options: {
    "--force": "once more, although the limit is reached or a person was needed; what failed stays counted",
    "--reason <text>": "why; it is kept in the audit trail",
    ...CHANGES,
  },
  examples: ["wms2 transfers retry cm5", 'wms2 transfers retry cm5 0013 --force --reason "quota raised" --yes'],
  more: "Exit 3: some of them are left as they are; the table says why.",
  async run({ client, options }, name: string, segments: string[]) {
    const { force = false, reason, yes, dryRun } = options;
    const body = { name, segments, force, dry_run: !yes || dryRun === true, ...(reason !== undefined && { reason }) };
    const answer = await client.frepp.retryTransfers(body);
    const { items } = answer;
    return {
      json: answer,
      page: (look) => table(RETRIED, items, look),
      note: `${name}: ${told(answer, "--yes")}`,
      ...(items.some(({ action }) => action === "leave") && { exit: 3 }),
    };
  },
});

export const addTransfers = group("transfers", "transfers of a model run's history", [list, retry]);
