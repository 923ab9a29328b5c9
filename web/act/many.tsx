import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ACTION, MEANT, type OperatorAction } from "../../src/recovery/round/actions.ts";
import { seenIn } from "../../src/recovery/round/effect.ts";
import { type Answer, call, type Input } from "../api/client.ts";
import { Problem } from "../problem.tsx";
import { useWhyNotOperator } from "../sign-in.tsx";
import { ActionButton } from "../ui/action-button.tsx";
import { Loading } from "../ui/banner.tsx";
import { Command } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { count } from "../words.ts";
import { ONLY_A_LOOK, WHY_NOT_YET } from "./act-dialog.tsx";
import { changeText, cliForMany } from "./body-words.ts";
import { Fields, type Filled } from "./fields.tsx";
import { Outcomes } from "./outcomes.tsx";

type Bulk = Input<"actions.bulk">;
export type BulkItem = Answer<"actions.bulk">["items"][number];
/** Which requests: by name, or all that match, exactly as the list does. */
type Target = Pick<Bulk, "names" | "filter">;

/** Visits all of them, page by page. */
async function visit(body: Bulk): Promise<BulkItem[]> {
  const items: BulkItem[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Answer<"actions.bulk"> = await call("actions.bulk", { ...body, limit: 500, ...(cursor && { cursor }) });
    items.push(...page.items);
    cursor = page.next_cursor;
    if (cursor === null) return items;
  }
}

interface ManyProps {
  readonly action: OperatorAction;
  readonly target: Target;
  /** Beside what a person fills in, like the site to leave out. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** The filter as it is typed. */
  readonly cliFilter: string;
  readonly onClose: () => void;
  /** What became of each; those that were refused stay selected. */
  readonly onDone?: (items: readonly BulkItem[]) => void;
}

/** One action on many requests: first what would happen to each, then why, then what happened to each. */
export function ActOnMany(props: ManyProps): ReactNode {
  const { action, target, more = MEANT[props.action], cliFilter, onClose, onDone } = props;
  const queries = useQueryClient();
  const [filled, setFilled] = useState<Filled>({ reason: "" });
  const [done, setDone] = useState<readonly BulkItem[] | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const notOperator = useWhyNotOperator();
  const { reason, ...options } = filled;
  const changes = { ...more, ...options };
  const changed = changeText(changes);
  const cli = cliForMany({ action, body: changes, reason }, target.names, cliFilter);
  const body = { ...changes, action } as Bulk;
  const preview = useQuery({
    queryKey: ["preview", target, body],
    queryFn: () => visit({ ...body, ...target, reason: ONLY_A_LOOK, dry_run: true }),
    // What is shown stays as it was shown: what is pressed is about that.
    enabled: ({ state }) => notOperator === null && done === null && state.data === undefined,
    retry: false,
    gcTime: 0,
    refetchInterval: false,
  });
  const would = preview.data?.filter(({ outcome }) => outcome === "would").length ?? 0;
  const act = async () => {
    setBusy(true);
    setProblem(null);
    try {
      // Those that it was shown for, and by nothing else; who was refused there stays so.
      const { names: _names, filter: _filter, ...wanted } = body;
      const shown = preview.data ?? [];
      const acted = await visit({ ...wanted, seen: seenIn(shown), reason, dry_run: false });
      const items = [...shown.filter(({ outcome }) => outcome === "refused"), ...acted];
      setDone(items);
      onDone?.(items);
      await queries.invalidateQueries();
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  const nothing = preview.data && would === 0 ? "nothing would change" : null;
  const whyNot =
    notOperator ?? (preview.data ? nothing : "the preview is not there yet") ?? (reason.trim() ? null : WHY_NOT_YET);
  return (
    <Dialog
      title={`${action}: ${ACTION[action].meaning}`}
      onClose={onClose}
      footer={
        done ? (
          <button type="button" className="primary" onClick={onClose}>
            Close
          </button>
        ) : (
          <>
            <button type="button" onClick={onClose}>
              Cancel
            </button>
            <ActionButton className="primary" whyNot={isBusy ? "it is being done" : whyNot} onPress={() => void act()}>
              {isBusy ? "…" : `${action} ${count(would, "request")}`}
            </ActionButton>
          </>
        )
      }
    >
      {changed && (
        <p>
          <b>{changed}</b>
        </p>
      )}
      {notOperator && <p className="banner warning">{notOperator}</p>}
      {!done && <Fields action={action} filled={filled} onChange={setFilled} />}
      {problem !== null && <Problem error={problem} />}
      {preview.error && <Problem error={preview.error} />}
      {!done && preview.isLoading && <Loading what="what it would do" />}
      {(done ?? preview.data) && <Outcomes items={done ?? preview.data!} isDone={done !== null} />}
      {!done && cli && <Command text={cli} />}
    </Dialog>
  );
}
