import { tokenOf } from "../../core/actor.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { eachInSlices, inSlices } from "../../core/base/slices.ts";
import { listed } from "../../core/base/text.ts";
import type { RequestName } from "../../core/names.ts";
import type { Problem } from "../../core/problem.ts";
import type { IntakeRules, Submission } from "../../core/submission.ts";
import type { FileStamp } from "../../core/workflow.ts";
import { problemsIn, readText as readHere, type TextRead } from "../../intake/read-text.ts";
import { namedText } from "../../intake/reading/named-text.ts";
import { MOST_ENTRIES, type Work } from "../../loop/ports.ts";
import { type Import, importOf, importRequest } from "./import.ts";
import type { Document, PlanPreview, SubmitAnswer } from "./port.ts";
import { previewPlan } from "./preview.ts";

/** What a text says, without looking whether its files are there. */
export const readText: (
  ports: Pick<Work, "kinds" | "readAside">,
  document: Document,
  rules: IntakeRules,
  actor: string,
  options?: { readonly mayName: boolean },
) => Promise<TextRead> = async (
  { kinds, readAside },
  { text, format },
  rules,
  actor,
  { mayName } = { mayName: false },
) => {
  const asked = { text, format, mayName, rules: { ...rules, requestor: tokenOf(actor) } };
  return readAside ? readAside(asked) : readHere(asked, kinds);
};

type ReadOrNamed = { readonly wanted: Import } | { readonly submission: Submission };

/** A document that makes sense, and whose files are there; or the request it names instead of being one, which a draft never does. */
async function readOrNamed(
  ports: Work,
  document: Document,
  rules: IntakeRules,
  actor: string,
  mayName = !document.isDraft,
): Promise<Result<ReadOrNamed, readonly Problem[]>> {
  const read = await readText(ports, document, rules, actor, { mayName });
  if (!read.ok) return read;
  if (read.value.kind === "named") return ok({ wanted: importOf(read.value.document)! });
  const { submission, inputs } = read.value;
  const absent = await absentInputs(ports, inputs);
  return absent.length > 0 ? err(problemsIn(document, absent)) : ok({ submission });
}

export async function readWhole(
  ports: Work,
  document: Document,
  rules: IntakeRules,
  actor: string,
): Promise<Result<Submission, readonly Problem[]>> {
  const read = await readOrNamed(ports, document, rules, actor, false);
  return read.ok && "submission" in read.value
    ? ok(read.value.submission)
    : (read as Result<never, readonly Problem[]>);
}

async function absentInputs({ spool }: Work, inputs: ReadonlyMap<string, string>): Promise<readonly Problem[]> {
  if (inputs.size === 0) return [];
  const [directory = "/"] = inputs.keys();
  const there = await spool.stamps(directory, inputs.keys());
  const absent = new Map<string, string[]>();
  const note = ([file, place]: readonly [string, string]): void => {
    const known = absent.get(place);
    if (there.has(file)) return;
    if (known) known.push(file);
    else absent.set(place, [file]);
  };
  await inSlices(eachInSlices(inputs, note));
  return [
    ...[...absent].map(([path, missing]) => ({
      path,
      message: `${listed(missing)}: not there, as the server sees it`,
      allowed: "files and folders that are there, or that a job makes",
    })),
    ...(await largeFolders(spool, directory, inputs, there)),
  ];
}

/** Nobody could tell whether something in them has changed. The directory of all jobs is not read as a whole. */
async function largeFolders(
  spool: Work["spool"],
  directory: string,
  inputs: ReadonlyMap<string, string>,
  there: ReadonlyMap<string, FileStamp>,
): Promise<readonly Problem[]> {
  const folders = [...there.values()].flatMap(({ path, listing }) =>
    listing === undefined || path === directory ? [] : [path],
  );
  const stamps = await spool.folderStamps({ directory, folders, without: new Set(), byContents: false });
  return [...stamps].flatMap(([path, { listing }]) =>
    listing === ""
      ? [
          {
            path: inputs.get(path) ?? "",
            message: `${path} has more than ${MOST_ENTRIES} entries: nobody can tell whether one has changed`,
            allowed: "the files in it that are read, or a smaller folder",
          },
        ]
      : [],
  );
}

export async function submit(
  ports: Work,
  rules: IntakeRules,
  nudge: () => void,
  document: Document,
  actor: string,
  signal?: AbortSignal,
): Promise<SubmitAnswer> {
  const { store, clock, log } = ports;
  const read = await readOrNamed(ports, document, rules, actor);
  if (!read.ok) return err({ kind: "problems", problems: read.error });
  if ("wanted" in read.value) {
    const answer = await importRequest({ ...ports, signal }, rules, read.value.wanted, { actor, dryRun: false });
    if (answer.ok && !answer.value.already) nudge();
    return answer;
  }
  const { spec, files, warnings } = read.value.submission;
  const { isDraft = false } = document;
  const isStored = await store.transaction(async ({ requests }) => {
    const isThere =
      (await requests.create(spec, isDraft ? "new" : "submitted", files, actor, clock.now())) ||
      (isDraft && (await requests.replaceDraft(spec, files, clock.now())));
    if (isThere) await requests.keepDocument(spec.name, document.text);
    return isThere;
  });
  if (!isStored) return err({ kind: "name-taken", name: spec.name });
  nudge();
  log.info(isDraft ? "request.drafted" : "request.submitted", { request: spec.name, actor });
  const plan = spec.productionSteps.length ? await previewPlan({ ...ports, signal }, spec) : null;
  const coarse = plan?.ok ? plan.value.warnings : [];
  return ok({ request: await store.requests.get(spec.name), warnings: [...warnings, ...coarse], plan });
}

export async function check(
  ports: Work,
  rules: IntakeRules,
  document: Document,
  actor: string,
  signal?: AbortSignal,
): Promise<SubmitAnswer> {
  const read = await readOrNamed(ports, document, rules, actor);
  if (!read.ok) return err({ kind: "problems", problems: read.error });
  if ("wanted" in read.value)
    return importRequest({ ...ports, signal }, rules, read.value.wanted, { actor, dryRun: true });
  const { spec, warnings } = read.value.submission;
  const isTaken = (await ports.store.requests.get(spec.name)) !== null;
  if (isTaken && !document.isCompared) return err({ kind: "name-taken", name: spec.name });
  return ok({
    request: null,
    warnings,
    plan: await previewPlan({ ...ports, signal }, spec),
    readAs: { spec, isTaken },
  });
}

export async function submittedDocument(
  { store }: Work,
  name: RequestName,
): Promise<{ readonly text: string | null } | null> {
  if (!(await store.requests.get(name))) return null;
  const text = await store.requests.document(name);
  return { text: text === null ? null : namedText(text, name) };
}

export async function preview(ports: Work, name: RequestName, signal?: AbortSignal): Promise<PlanPreview | null> {
  const request = await ports.store.requests.get(name);
  return request && previewPlan({ ...ports, signal }, request.spec);
}
