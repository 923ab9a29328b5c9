import type { RequestName } from "../../core/names.ts";
import type { NodeAction, NodeChanges } from "../../core/operator.ts";
import type { RecoverWanted } from "../../core/recover.ts";
import type { RequestRecord } from "../../core/request.ts";
import type { RememberedRule } from "../../core/rule.ts";
import type { Recovery } from "../../recovery/round/recover.ts";
import type { By, LastAttempt, NotAsSeen, Refusal, Seen } from "./port.ts";

/** What people may ask about recovery beyond the actions on a request. */
export interface RecoveryCommands {
  /** Runs again what lacked memory or time, or lost its host; nothing else. */
  recover(
    name: RequestName,
    wanted: RecoverWanted & { readonly reason: string },
    by: By & Seen,
  ): Promise<RecoverAnswer>;
  /** The failures of the present run, those alike together, the most frequent first. */
  failureGroups(name: RequestName): Promise<FailureGroups | null>;
  /** Says what failures mean that no rule knew: all of a call or none. */
  classify(
    name: RequestName,
    items: readonly Classification[],
    by: By & Seen,
    remember?: boolean,
  ): Promise<ClassifyAnswer>;
  /** Nodes of the present run whose last failure no rule knew. */
  unclassified(name: RequestName, page: { offset: number; limit: number }): Promise<UnclassifiedPage | null>;
  rules(): Promise<readonly RememberedRule[]>;
  /** null: there is no such rule. */
  forgetRule(id: string, reason: string, by: By): Promise<RememberedRule | null>;
}

export type RecoverAnswer =
  /** nothing: no job qualifies · already: it was asked for before · would: a dry run. */
  | {
      readonly kind: "done" | "would" | "already" | "nothing";
      readonly recovery: Recovery;
      readonly message: string;
      readonly request: RequestRecord;
    }
  | Refusal<"refused">
  | NotAsSeen;

/** Failures that say the same in their logs, with the same cause and code. */
export interface FailureGroup {
  readonly key: string;
  readonly failures: number;
  /** Of them, those that wait for a person to say what they mean. */
  readonly unclassified: number;
  /** Why nobody can say what they mean now; null: somebody can. */
  readonly whyNot: string | null;
  readonly cause: string | null;
  readonly exitCode: number;
  /** What their logs say alike. */
  readonly lines: readonly string[];
  readonly example: {
    readonly unit: string;
    readonly node: string;
    /** What the person called a job of a graph. */
    readonly job?: string | null;
    readonly at: string;
    readonly reason: string;
  };
  /** "unit/node" or the name of a job, the first of them. */
  readonly nodes: readonly string[];
}
export interface FailureGroups {
  readonly failures: number;
  readonly groups: readonly FailureGroup[];
  /** Failures whose logs were not looked at: there are too many. */
  readonly notRead: number;
}

/** A rule made of a classification. would: a dry run · already: somebody remembered the same. */
export interface KeptRule {
  readonly outcome: "remembered" | "already" | "would";
  readonly rule: RememberedRule;
}

/** A node that stopped because no rule knew its failure. */
export interface UnclassifiedNode extends LastAttempt {
  /** What the person called a job of a graph. */
  readonly job?: string | null;
  /** What somebody said it means; null: nobody yet. */
  readonly classified: NodeAction | null;
  readonly stderrTail: string;
}
export interface UnclassifiedPage {
  readonly total: number;
  /** Of them, those that nobody has classified. */
  readonly open: number;
  readonly items: readonly UnclassifiedNode[];
}
export interface Classification {
  /** "mg_000003/proc_000021"; or `group`, the key of failures alike: all of them that wait. */
  readonly node?: string;
  readonly group?: string;
  readonly action: "retry" | "fail";
  readonly changes: NodeChanges;
  readonly reason: string;
}
export type ClassifyAnswer =
  | {
      readonly kind: "done" | "would";
      readonly items: readonly {
        readonly node: string;
        readonly action: Classification["action"];
        readonly outcome: "reserved" | "already";
      }[];
      /** Still waiting for a classification. */
      readonly open: number;
      /** The nodes that are resubmitted now; null: none, `because` says why. */
      readonly resubmit: readonly string[] | null;
      /** What is remembered for the runs to come. */
      readonly rules: readonly KeptRule[];
      readonly reason: string;
      readonly request: RequestRecord;
    }
  | Refusal<"refused" | "conflict">
  | NotAsSeen;
