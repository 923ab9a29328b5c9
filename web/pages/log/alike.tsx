import type { ReactNode } from "react";
import { Link } from "wouter";
import { useAnswer } from "../../api/queries.ts";
import { logHref, placeName } from "../../job-links.ts";
import { Problem } from "../../problem.tsx";
import { Loading } from "../../ui/banner.tsx";
import { count } from "../../words.ts";
import type { LogAddress } from "./address.ts";

interface AlikeProps {
  readonly address: LogAddress;
  readonly cluster: string | null;
  readonly line: string;
}

/** Whether it is this job or all of them: who else of the round wrote the same line. */
export function Alike({ address, cluster, line }: AlikeProps): ReactNode {
  const { name, file, unit, node } = address;
  const { data, error } = useAnswer("attempts.alike", { name, file, line: line.slice(0, 1000) });
  if (error) return <Problem error={error} />;
  if (!data) return <Loading what="the other logs" />;
  const isOwn = (item: (typeof data.items)[number]) =>
    item.unit === unit && item.node === node && item.cluster === cluster;
  const others = data.items.filter((item) => !isOwn(item));
  const number = data.attempts - (others.length < data.items.length ? 1 : 0);
  return (
    <div className="body commands">
      <p>
        <b>
          {number === 0 ? "No other attempt wrote this line" : `The same line is in ${count(number, "other attempt")}`}
        </b>
        , of {data.looked_at.toLocaleString("en")} looked at
        {data.not_read > 0 && `; ${data.not_read.toLocaleString("en")} more were not read`}.{" "}
        <span className="quiet">
          Times, paths and numbers may differ: <code>{data.line}</code>
        </span>
      </p>
      {others.length > 0 && (
        <ul className="legend">
          {others.map((item) => (
            <li key={`${item.unit} ${item.node} ${item.cluster}`}>
              <Link href={logHref(name, { ...item, file, at: item.from })} title={item.text}>
                {placeName(item)}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
