import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { ActDialog, ONLY_A_LOOK } from "../../act/act-dialog.tsx";
import { type Answer, call } from "../../api/client.ts";
import { requestHref } from "../../request-status.tsx";
import { Banner } from "../../ui/banner.tsx";
import { count } from "../../words.ts";
import { MEANING, type SiteVerb, siteLine, withoutSite } from "./verbs.ts";

type Foretold = Pick<Answer<"sites.drain">, "message"> & Partial<Pick<Answer<"sites.drain">, "effect">>;
interface Filled {
  readonly reason: string;
  readonly days: number | undefined;
}

/** What the server says it comes to. */
function ask(verb: SiteVerb, name: string, { reason, days }: Filled, dry_run: boolean): Promise<Foretold> {
  if (verb === "ban") return call("sites.ban", { name, reason, dry_run, ...(days !== undefined && { days }) });
  if (verb === "unban") return call("sites.unban", { name, reason, scope: "all", dry_run });
  return call(`sites.${verb}`, { name, note: reason, dry_run });
}

interface ActProps {
  readonly verb: SiteVerb;
  readonly name: string;
  readonly onClose: () => void;
}

/** One change of a site: whom it leaves without one, why, do. */
export function ActOnSite({ verb, name, onClose }: ActProps): ReactNode {
  const [filled, setFilled] = useState<Filled>({ reason: "", days: undefined });
  const { reason, days } = filled;
  return (
    <ActDialog
      title={`${verb} ${name}`}
      about={MEANING[verb]}
      asked={days}
      foretell={() => ask(verb, name, { reason: ONLY_A_LOOK, days }, true)}
      shown={(told) => <Shown told={told} />}
      verb={(told) => `${verb}${withoutSite(told?.effect?.left_without_total ?? 0)}`}
      fields={<Fields verb={verb} filled={filled} onChange={setFilled} />}
      reason={reason}
      act={() => ask(verb, name, filled, false)}
      cli={siteLine(verb, name, filled)}
      onClose={onClose}
    />
  );
}

interface FieldsProps {
  readonly verb: SiteVerb;
  readonly filled: Filled;
  readonly onChange: (filled: Filled) => void;
}

const Fields = ({ verb, filled, onChange }: FieldsProps): ReactNode => (
  <div className="columns">
    {verb === "ban" && (
      <label>
        <span className="label">For how many days (empty: as the policy says)</span>
        <input
          type="number"
          min={1}
          max={365}
          value={filled.days ?? ""}
          onChange={({ target }) => onChange({ ...filled, days: target.value ? Number(target.value) : undefined })}
        />
      </label>
    )}
    <label>
      <span className="label">Reason (seen with the site and in the audit)</span>
      <input
        required
        value={filled.reason}
        maxLength={1000}
        onChange={({ target }) => onChange({ ...filled, reason: target.value })}
      />
    </label>
  </div>
);

function Shown({ told: { message, effect } }: { told: Foretold }): ReactNode {
  const { left_without: names = [], left_without_total: total = 0 } = effect ?? {};
  return (
    <>
      <Banner kind={total > 0 ? "warning" : "info"}>
        <b>Preview:</b> <span>{message}</span>
      </Banner>
      <ul className="legend">
        {names.map((name) => (
          <li key={name}>
            <Link href={requestHref(name)}>{name}</Link>
          </li>
        ))}
        {total > names.length && <li className="quiet">and {count(total - names.length, "other")}</li>}
      </ul>
    </>
  );
}
