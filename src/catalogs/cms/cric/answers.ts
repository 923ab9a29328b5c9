import { busy, notLetIn, plainRefusal, type ServiceRules } from "../http/question.ts";
import { BrokenAnswer, isRow, type Row } from "../http/rows.ts";

export const CRIC_RULES: ServiceRules = {
  name: "cric",
  requestsPerSec: 5,
  concurrency: 2,
  outage: (answer) => notLetIn(answer) ?? busy(answer),
  refusal: plainRefusal,
  brokenRow: () => null,
};

/** A report is a list of column names and rows of values in that order, whatever it is; some are objects already. */
export function readReport(value: unknown): readonly Row[] {
  const { desc, result } = isRow(value) ? value : {};
  if (!Array.isArray(result)) throw new BrokenAnswer("the answer is no report: it has no result");
  const columns = isRow(desc) && Array.isArray(desc.columns) ? desc.columns.map(String) : null;
  return result.map((row: unknown) => {
    if (isRow(row)) return row;
    if (columns === null || !Array.isArray(row)) throw new BrokenAnswer("the answer is no report: it has no columns");
    return Object.fromEntries(columns.map((column, at) => [column, row[at]]));
  });
}

/** Rows without one of the two stand for sites without storage, and the reverse. */
export const readStorage = (value: unknown): readonly { readonly site: string; readonly rse: string }[] =>
  readReport(value).flatMap(({ psn_name: site, phedex_name: rse }) =>
    typeof site === "string" && site && typeof rse === "string" && rse ? [{ site, rse }] : [],
  );

/** A report also holds names of storage, of the grid and of people's making: those of processing sites are `psn`. */
export const readSites = (value: unknown): readonly string[] => [
  ...new Set(
    readReport(value).flatMap(({ type, alias }) =>
      type === "psn" && typeof alias === "string" && alias ? [alias] : [],
    ),
  ),
];
