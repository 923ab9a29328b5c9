import { isSuccess, type Question, refused } from "../http/question.ts";
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
export const makeDbs = (http: HttpService, urls: { readerUrl: string; writerUrl: string }): Dbs => ({
  ...makeReader(http, urls.readerUrl),
  ...makeWriter(http, urls.writerUrl),
});

type Reader = Pick<Dbs, "dataset" | "blocks" | "block" | "files" | "lumis">;

function makeReader(http: HttpService, url: string): Reader {
  const lookUp = makeLookUp(http, url);
  return {
    async dataset(name) {
      const type = await lookUp.accessType(name);
      return type === "VALID" || type === "PRODUCTION" ? { name, accessType: type } : null;
    },
    blocks: (dataset) => http.read(questions.blocksOf(url, dataset), rowsOf(readBlock)),
    block: lookUp.block,
    files: (block, signal) => http.rows(questions.filesOf(url, block), readFile, signal),
    lumis: (block, signal) => http.rows(questions.lumisOf(url, block), readLumi, signal),
  };
}

function makeWriter(http: HttpService, url: string): Omit<Dbs, keyof Reader> {
  const lookUp = makeLookUp(http, url);
  const write = async (question: Question): Promise<Done> => {
    const answer = await http.ask(question);
    return isSuccess(answer) ? DONE : http.rules.refusal(answer);
  };

  const addSome = async (block: string, files: readonly NewDbsFile[]): Promise<Done> => {
    const lfns = files.map(({ lfn }) => lfn);
    const known = await http.read(questions.filesByName(url, lfns), rowsOf(readKnownFile));
    const compared = compareFiles(block, files, known);
    if (compared.kind === "conflict") return compared.refusal;
    if (compared.files.length === 0) return ADOPTED;
    // DBS itself would take files for a closed block.
    const there = await lookUp.block(block);
    if (!there?.isOpen) return there ? isClosed(block) : noBlock(block);
    return write(questions.newFiles(url, block, compared.files));
  };

  return {
    async ensureDataset(dataset) {
      const type = await lookUp.accessType(dataset.dataset);
      if (type !== null && type !== "VALID" && type !== "PRODUCTION") return notToBeUsed(dataset.dataset, type);
      const configured = await write(questions.outputConfig(url, dataset.config));
      if (configured.kind === "refused" || type !== null) return configured.kind === "refused" ? configured : ADOPTED;
      for (const part of questions.datasetParts(url, dataset)) {
        const done = await write(part);
        if (done.kind === "refused") return done;
      }
      return DONE;
    },
    async openBlock(name, originRse) {
      const there = await lookUp.block(name);
      if (there) return there.isOpen ? ADOPTED : isClosed(name);
      return write(questions.newBlock(url, name, originRse));
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
      const before = await lookUp.block(name);
      if (before === null) return noBlock(name);
      if (before.files !== files) return otherNumber(name, before.files, files);
      if (!before.isOpen) return ADOPTED;
      const done = await write(questions.closedBlock(url, name));
      if (done.kind === "refused") return done;
      // DBS says yes to everything here: only a look tells.
      const after = await lookUp.block(name);
      if (after === null || after.isOpen) throw refused("dbs", stillOpen(name));
      return after.files === files ? DONE : otherNumber(name, after.files, files);
    },
    invalidateFile: (lfn) => write(questions.invalidFile(url, lfn)),
  };
}

/** By name; a name that cannot be is a name that nothing has. */
function makeLookUp(http: HttpService, url: string) {
  const first = async <T>(question: Question, read: (row: Row) => T): Promise<T | null> =>
    (await http.readIfThere(question, isImpossibleName, rowsOf(read)))?.[0] ?? null;
  return {
    block: (name: string) => first(questions.blockByName(url, name), readBlock),
    accessType: (name: string) => first(questions.datasetByName(url, name), readAccessType),
  };
}

const rowsOf = <T>(read: (row: Row) => T) => json((value) => readRows(value, read));

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
