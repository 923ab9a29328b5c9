import type { Clock } from "../../../core/base/clock.ts";
import { type Answer, isSuccess, type Question, unreachable } from "../http/question.ts";
import { lines } from "../http/rows.ts";
import type { HttpService } from "../http/service.ts";
import type { Done, NewRule, Rucio } from "../services.ts";
import { isAboutToGo, isException, type Rule, readNewRule, readReplica, readRse, readRule } from "./answers.ts";
import * as questions from "./questions.ts";

const FILES_AT_ONCE = 1000;
const DONE: Done = { kind: "done", adopted: false };
const ADOPTED: Done = { kind: "done", adopted: true };

export function makeRucio(http: HttpService, server: RucioServer, clock: Clock): Rucio {
  const { url } = server;
  /** `asAdopted`: exceptions that say that it is so already. */
  const write: Write = async (question, ...asAdopted) => {
    const answer = await http.ask(question);
    if (isSuccess(answer)) return DONE;
    return isException(answer, ...asAdopted) ? ADOPTED : http.rules.refusal(answer);
  };
  return {
    replicas: (name, signal) => http.rows(questions.replicasOf(url, name), readReplica, signal),
    async rses(expression) {
      const isNone = (answer: Answer) => isException(answer, "InvalidRSEExpression");
      return (await http.readIfThere(questions.rsesOf(url, expression), isNone, lines(readRse))) ?? [];
    },
    ...makeBlocks(url, write),
    ...makeRules(http, server, write, clock),
  };
}

interface RucioServer {
  readonly url: string;
  readonly account: string;
}
type Write = (question: Question, ...asAdopted: readonly string[]) => Promise<Done>;

const makeBlocks = (
  url: string,
  write: Write,
): Pick<Rucio, "ensureBlock" | "ensureInContainer" | "addFiles" | "closeBlock"> => ({
  ensureBlock: (block) => write(questions.newDid(url, block, "DATASET"), "DataIdentifierAlreadyExists"),
  async ensureInContainer(block, container) {
    const around = await write(questions.newDid(url, container, "CONTAINER"), "DataIdentifierAlreadyExists");
    if (around.kind === "refused") return around;
    return write(questions.blockInContainer(url, block, container), "DuplicateContent");
  },
  async addFiles(block, rse, files) {
    for (let from = 0; from < files.length; from += FILES_AT_ONCE) {
      const some = files.slice(from, from + FILES_AT_ONCE);
      const done = await write(questions.filesInBlock(url, block, rse, some), "FileAlreadyExists");
      if (done.kind === "refused") return done;
    }
    return DONE;
  },
  closeBlock: (block) => write(questions.closedBlock(url, block), "UnsupportedOperation"),
});

function makeRules(
  http: HttpService,
  { url, account }: RucioServer,
  write: Write,
  clock: Clock,
): Pick<Rucio, "ensureRule" | "deleteRule"> {
  const revived = async (known: Rule, rule: NewRule): Promise<Done> =>
    isAboutToGo(known, rule, clock.now())
      ? write(questions.changedRule(url, known.id, { lifetime: rule.lifetimeSec }))
      : ADOPTED;

  return {
    async ensureRule(rule) {
      const answer = await http.ask(questions.newRule(url, account, rule));
      if (isSuccess(answer)) return { ...DONE, id: idOf(answer) };
      if (!isException(answer, "DuplicateRule")) return http.rules.refusal(answer);
      const alike = await http.read(questions.rulesLike(url, account, rule), lines(readRule));
      const known = alike.find(({ copies }) => copies === 1);
      if (!known) {
        const hint = "it is tried again by itself: the old rule may be about to vanish";
        throw unreachable("rucio", `it has a rule for ${rule.block} already, and shows none`, { hint });
      }
      const done = await revived(known, rule);
      return done.kind === "refused" ? done : { ...ADOPTED, id: known.id };
    },
    async deleteRule(id) {
      const remove = () => http.ask(questions.deletedRule(url, id));
      const first = await remove();
      // Rules that keep files on tape for good are locked by the server itself.
      if (!isException(first, "UnsupportedOperation")) return afterDelete(first);
      const unlocked = await write(questions.changedRule(url, id, { locked: false }), "RuleNotFound");
      return unlocked.kind === "refused" ? unlocked : afterDelete(await remove());
    },
  };

  function afterDelete(answer: Answer): Done {
    if (isSuccess(answer)) return DONE;
    return isException(answer, "RuleNotFound") ? ADOPTED : http.rules.refusal(answer);
  }
}

function idOf(answer: Answer): string {
  try {
    return readNewRule(answer);
  } catch (cause) {
    throw unreachable("rucio", "it made a rule and gave no id", { cause, hint: "it is looked up at the next try" });
  }
}
