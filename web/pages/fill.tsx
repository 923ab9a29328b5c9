import { type ReactNode, useMemo, useState } from "react";
import { Link } from "wouter";
import type { FillPlanView } from "../../src/operations/fill.ts";
import { useAnswer } from "../api/queries.ts";
import { AsText } from "../as-text.tsx";
import { Problem } from "../problem.tsx";
import { requestHref } from "../request-status.tsx";
import { ActionButton } from "../ui/action-button.tsx";
import { Loading } from "../ui/banner.tsx";
import { useNames, useUrlState } from "../url-state.ts";
import { count } from "../words.ts";
import { ApplyFill, ReleaseNode, VerifyProducts } from "./fill/acts.tsx";
import { Chooser, readChoice } from "./fill/chooser.tsx";
import { componentsIn } from "./fill/components.ts";
import { FillGrid } from "./fill/grid.tsx";
import { layOut } from "./fill/layout.ts";
import { CellLegend, Chosen, Reasons } from "./fill/told.tsx";
import { type Choice, cliFill, fillSentence } from "./fill/words.ts";

/** What is missing of a model run, why, and what would be done about it: the plan of `wms2 fill`, to look at and to apply. */
export function FillPage(): ReactNode {
  const { name = "" } = useNames();
  const url = useUrlState();
  const choice = readChoice(url);
  const request = useAnswer("requests.show", { name });
  const { mode, recurse, ...which } = choice;
  const input = { name, ...which, mode, recurse: recurse ? ("true" as const) : ("false" as const) };
  const plan = useAnswer("fill.plan", input, { keep: true });
  const error = request.error ?? plan.error;
  return (
    <>
      <div className="title">
        <h1>
          Products of <Link href={requestHref(name)}>{name}</Link>
        </h1>
        <div className="end">
          <AsText cli={cliFill(name, choice)} operation="fill.plan" input={input} />
        </div>
      </div>
      <Chooser choice={choice} components={componentsIn(request.data?.work)} url={url} />
      {error && <Problem error={error} />}
      {!plan.data && !error && <Loading what="what is there" />}
      {plan.data && !plan.error && <Shown name={name} plan={plan.data} choice={choice} />}
    </>
  );
}

type Act = "fill" | "verify" | { readonly release: string } | null;

function Shown({ name, plan, choice }: { name: string; plan: FillPlanView; choice: Choice }): ReactNode {
  const url = useUrlState();
  const [room, setRoom] = useState(800);
  const [act, setAct] = useState<Act>(null);
  const layout = useMemo(() => layOut(plan, room), [plan, room]);
  const chosen = url.get("node") ?? null;
  const story = fillSentence(plan);
  const close = () => setAct(null);
  return (
    <>
      <section className={`panel sentence live tone-${story.tone}`} aria-label="In one sentence">
        {story.text}
      </section>
      <div className="actions">
        <ActionButton
          className="primary"
          whyNot={plan.actions.length > 0 ? null : "nothing of this selection can be made now"}
          onPress={() => setAct("fill")}
        >
          Fill {count(plan.actions.length, "product")} …
        </ActionButton>
        <button type="button" onClick={() => setAct("verify")}>
          Verify what is there …
        </button>
      </div>
      <CellLegend plan={plan} />
      {plan.rows.length > 0 && (
        <FillGrid
          label={`${count(plan.rows.length, "product")} over time: ${count(plan.holes, "hole")}, ${plan.done} done`}
          layout={layout}
          chosen={chosen}
          onChoose={(node) => url.set("node", node, { replace: true })}
          onRoom={setRoom}
        />
      )}
      {chosen && <Chosen plan={plan} node={chosen} onRelease={() => setAct({ release: chosen })} />}
      <Reasons plan={plan} />
      {act === "fill" && <ApplyFill name={name} choice={choice} onClose={close} />}
      {act === "verify" && <VerifyProducts name={name} onClose={close} />}
      {act !== null && typeof act === "object" && <ReleaseNode name={name} node={act.release} onClose={close} />}
    </>
  );
}
