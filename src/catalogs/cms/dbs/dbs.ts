import { type Answer, isSuccess, type Question, refused } from "../http/question.ts";
import { json, type Row } from "../http/rows.ts";
import type { HttpService } from "../http/service.ts";
import type { Dbs, Done, NewDbsFile, Refusal } from "../services.ts";
import {
  compareFiles,
  isImpossibleName,
  readAccessType,
  readBlock,
  readFile,
  readKnownFile,
  readLumi,
  readRows,
} from "./answers.ts";
import * as questions from "./questions.ts";

/** Names in one question, and files in one registration: bodies of some hundred kilobytes. */
const AT_ONCE = 200;
const DONE: Done = { kind: "done", adopted: false };
const ADOPTED: Done = { kind: "done", adopted: true };

/** Reading for planning asks the reader; whoever writes looks at the writer, which knows what was just written. */
export function makeDbs(http: HttpService, { readerUrl, writerUrl }: { readerUrl: string; writerUrl: string }): Dbs {
  const { refusal } = http.rules;
  const told = (answer: Answer): Done => (isSuccess(answer) ? DONE : refusal(answer));
  const write = async (question: Question): Promise<Done> => told(await http.ask(question));

  /** The first of a list; a name that cannot be is a name that nothing has. */
  const first = async <T>(question: Question, read: (row: Row) => T): Promise<T | null> =>
    (
      await http.readIfThere(
        question,
        isImpossibleName,
        json((value) => readRows(value, read)),
      )
    )?.[0] ?? null;
  const blockAt = (base: string, name: string) => first(questions.blockByName(base, name), readBlock);
  const accessType = (base: string, name: string) => first(questions.datasetByName(base, name), readAccessType);

  const addSome = async (block: string, files: readonly NewDbsFile[]): Promise<Done> => {
    const lfns = files.map(({ lfn }) => lfn);
    const known = await http.read(
      questions.filesByName(writerUrl, lfns),
      json((value) => readRows(value, readKnownFile)),
    );
    const compared = compareFiles(block, files, known);
    if (compared.kind === "conflict") return compared.refusal;
    if (compared.files.length === 0) return ADOPTED;
    // DBS itself would take files for a closed block.
    const there = await blockAt(writerUrl, block);
    if (!there?.isOpen) return there ? isClosed(block) : noBlock(block);
    return write(questions.newFiles(writerUrl, block, compared.files));
  };

  return {
    async dataset(name) {
      const type = await accessType(readerUrl, name);
      return type === "VALID" || type === "PRODUCTION" ? { name, accessType: type } : null;
    },
    blocks: (dataset) =>
      http.read(
        questions.blocksOf(readerUrl, dataset),
        json((value) => readRows(value, readBlock)),
      ),
    block: (name) => blockAt(readerUrl, name),
    files: (block, signal) => http.rows(questions.filesOf(readerUrl, block), readFile, signal),
    lumis: (block, signal) => http.rows(questions.lumisOf(readerUrl, block), readLumi, signal),
    async ensureDataset(dataset) {
      const type = await accessType(writerUrl, dataset.dataset);
      if (type !== null && type !== "VALID" && type !== "PRODUCTION") return notToBeUsed(dataset.dataset, type);
      const configured = await write(questions.outputConfig(writerUrl, dataset.config));
      if (configured.kind === "refused" || type !== null) return configured.kind === "refused" ? configured : ADOPTED;
      for (const part of questions.datasetParts(writerUrl, dataset)) {
        const done = await write(part);
        if (done.kind === "refused") return done;
      }
      return DONE;
    },
    async openBlock(name, originRse) {
      const there = await blockAt(writerUrl, name);
      if (there) return there.isOpen ? ADOPTED : isClosed(name);
      return write(questions.newBlock(writerUrl, name, originRse));
    },
    async addFiles(block, files) {
      let all: Done = ADOPTED;
      for (let from = 0; from < files.length; from += AT_ONCE) {
        const done = await addSome(block, files.slice(from, from + AT_ONCE));
        if (done.kind === "refused") return done;
        if (!done.adopted) all = DONE;
      }
      return all;
    },
    async closeBlock(name, files) {
      const before = await blockAt(writerUrl, name);
      if (before === null) return noBlock(name);
      if (before.files !== files) return otherNumber(name, before.files, files);
      if (!before.isOpen) return ADOPTED;
      const done = await write(questions.closedBlock(writerUrl, name));
      if (done.kind === "refused") return done;
      // DBS says yes to everything here: only a look tells.
      const after = await blockAt(writerUrl, name);
      if (after === null || after.isOpen) throw refused("dbs", stillOpen(name));
      return after.files === files ? DONE : otherNumber(name, after.files, files);
    },
    invalidateFile: (lfn) => write(questions.invalidFile(writerUrl, lfn)),
  };
}

const no = (code: string, message: string, fix: string): Refusal => ({ kind: "refused", code, message, fix });
const noBlock = (block: string): Refusal =>
  no("block-missing", `there is no block ${block}`, "retry the block, which opens it first");
const isClosed = (block: string): Refusal =>
  no("block-closed", `${block} is closed, and files cannot be added any more`, "put these files into a new block");
const stillOpen = (block: string): Refusal =>
  no("block-open", `${block} stays open though DBS said that it closed it`, "look at the block in DBS; then retry it");
const otherNumber = (block: string, theirs: number, ours: number): Refusal =>
  no("files-differ", `${block} has ${theirs} files in DBS, and ${ours} were registered here`, "compare the files");
const notToBeUsed = (dataset: string, type: string): Refusal =>
  no(
    "dataset-unusable",
    `${dataset} is ${type} in DBS: nothing is added to it`,
    "give the request a higher ProcessingVersion, or have the dataset made PRODUCTION again",
  );
