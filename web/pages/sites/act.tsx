import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { WHY_NOT_YET } from "../../act/fields.tsx";
import { type Answer, call } from "../../api/client.ts";
import { Problem } from "../../problem.tsx";
import { requestHref } from "../../request-status.tsx";
import { useWhyNotOperator } from "../../sign-in.tsx";
import { ActionButton } from "../../ui/action-button.tsx";
import { Banner, Loading } from "../../ui/banner.tsx";
import { Command } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { count, quoted } from "../../words.ts";
import { MEANING, type SiteVerb, withoutSite } from "./verbs.ts";

type Effect = Answer<"sites.drain">["effect"];
interface Filled {
  readonly reason: string;
  readonly days: number | undefined;
}

/** What the server says it comes to; null: of a lifted ban there is nothing more to say. */
async function ask(verb: SiteVerb, name: string, { reason, days }: Filled, isDry: boolean): Promise<Effect | null> {
  const dry_run = isDry;
  if (verb === "ban")
    return (await call("sites.ban", { name, reason, dry_run, ...(days !== undefined && { days }) })).effect;
  if (verb === "unban") {
    await call("sites.unban", { name, reason, scope: "all", dry_run });
    return null;
  }
  return (await call(`sites.${verb}`, { name, note: reason, dry_run })).effect;
}

interface ActProps {
  readonly verb: SiteVerb;
  readonly name: string;
  readonly onClose: () => void;
}

/** One change of a site: whom it leaves without one, why, do. */
export function ActOnSite({ verb, name, onClose }: ActProps): ReactNode {
  const queries = useQueryClient();
  const notOperator = useWhyNotOperator();
  const [filled, setFilled] = useState<Filled>({ reason: "", days: undefined });
  const [problem, setProblem] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const { reason, days } = filled;
  const preview = useQuery({
    queryKey: ["preview", verb, name, days],
    queryFn: () => ask(verb, name, { reason: "a look at what it would do", days }, true),
    enabled: notOperator === null,
    retry: false,
    staleTime: 0,
    refetchInterval: false,
  });
  const act = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await ask(verb, name, filled, false);
      await queries.invalidateQueries();
      onClose();
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  const whyNot =
    notOperator ??
    preview.error?.message ??
    (preview.isSuccess ? null : "the preview is not there yet") ??
    (reason.trim() ? null : WHY_NOT_YET);
  return (
    <Dialog
      title={`${verb} ${name}`}
      onClose={onClose}
      footer={
        <>
          <button type="button" onClick={onClose}>
            Leave it
          </button>
          <ActionButton className="primary" whyNot={isBusy ? "it is being done" : whyNot} onPress={() => void act()}>
            {isBusy ? "…" : `${verb}${withoutSite(preview.data?.left_without_total ?? 0)}`}
          </ActionButton>
        </>
      }
    >
      <p>{MEANING[verb]}</p>
      {notOperator && <Banner kind="warning">{notOperator}</Banner>}
      <div className="columns">
        {verb === "ban" && (
          <label>
            <span className="label">For how many days (empty: as the policy says)</span>
            <input
              type="number"
              min={1}
              max={365}
              value={days ?? ""}
              onChange={({ target }) => setFilled({ ...filled, days: target.value ? Number(target.value) : undefined })}
            />
          </label>
        )}
        <label>
          <span className="label">Why (seen with the site and in the audit)</span>
          <input
            required
            value={reason}
            maxLength={1000}
            onChange={({ target }) => setFilled({ ...filled, reason: target.value })}
          />
        </label>
      </div>
      {preview.isLoading && <Loading what="what it would do" />}
      {preview.data && <Shown effect={preview.data} />}
      {(problem ?? preview.error) && <Problem error={problem ?? preview.error} />}
      <Command text={`wms2 sites ${verb} ${quoted(name)} --reason ${quoted(reason || "…")} --dry-run`} />
    </Dialog>
  );
}

function Shown({ effect }: { effect: Effect }): ReactNode {
  const { used_by: used, left_without: names, left_without_total: total } = effect;
  return (
    <section aria-label="What would happen" aria-live="polite" className="commands">
      <Banner kind={total > 0 ? "warning" : "info"}>
        <b>{count(used, "open request")} may use it.</b>
        <span>
          {total === 0
            ? "None would be left without a site."
            : `${count(total, "request")} would be left without a site, and held:`}
        </span>
      </Banner>
      <ul className="legend">
        {names.map((name) => (
          <li key={name}>
            <Link href={requestHref(name)}>{name}</Link>
          </li>
        ))}
        {total > names.length && <li className="quiet">and {count(total - names.length, "other")}</li>}
      </ul>
    </section>
  );
}
