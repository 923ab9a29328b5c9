import type { ErrorsView } from "../../lifecycle/port.ts";
import type { ErrorsBodyView } from "../schemas/errors.ts";

type Example = NonNullable<ErrorsView["first"]>;

const exampleView = ({ exitCode, ...rest }: Example): NonNullable<ErrorsBodyView["first"]> => ({
  ...rest,
  exit_code: exitCode,
});

export const errorsBodyView = (name: string, view: ErrorsView): ErrorsBodyView => ({
  request_name: name,
  units_total: view.unitsTotal,
  units_done: view.unitsDone,
  units_failed: view.unitsFailed,
  nodes_failed: view.nodesFailed,
  nodes_recovered: view.nodesRecovered,
  unreadable_lines: view.unreadableLines,
  first: view.first && exampleView(view.first),
  categories: view.categories.map((row) => ({ ...row })),
  causes: view.causes.map((row) => ({ ...row })),
  codes: view.codes.map(({ exitCode, example, logTail, ...row }) => ({
    ...row,
    exit_code: exitCode,
    example: exampleView(example),
    log_tail: logTail,
  })),
  sites: view.sites.map(({ lastBlamedAt, ...row }) => ({ ...row, last_blamed_at: lastBlamedAt })),
  hosts: view.hosts.map((row) => ({ ...row })),
  files: view.files.map(({ sites, ...row }) => ({ ...row, sites: [...sites] })),
  more: { ...view.more },
  suggestion: {
    action: view.suggestion.action,
    modifications: { ...view.suggestion.modifications },
    because: view.suggestion.because,
  },
});
