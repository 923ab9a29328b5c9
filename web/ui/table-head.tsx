import type { ReactNode } from "react";

/** A column: its name; `end` for numbers, `hidden` for one that only a screen reader names, null for one that needs none. */
type Column = string | { readonly end: string } | { readonly hidden: string } | null;

export const TableHead = ({ columns }: { columns: readonly Column[] }): ReactNode => (
  <thead>
    <tr>{columns.map(head)}</tr>
  </thead>
);

function head(column: Column): ReactNode {
  if (column === null) return <td key="" />;
  if (typeof column === "string") return <Head key={column}>{column}</Head>;
  if ("hidden" in column)
    return (
      <Head key={column.hidden}>
        <span className="visually-hidden">{column.hidden}</span>
      </Head>
    );
  return (
    <th scope="col" key={column.end} className="end">
      {column.end}
    </th>
  );
}

const Head = ({ children }: { children: ReactNode }): ReactNode => <th scope="col">{children}</th>;
