type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isNothing = (value: unknown): boolean =>
  value === null ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (isFields(value) && Object.keys(value).length === 0);

/** What the work says itself is not said again. */
const IN_WORK = ["input", "secondary", "generation", "split"];

/** What a document was read as, a line for each value, in the form of YAML: the same text for the same meaning. */
export function specLines({ work, spec }: { readonly work: Fields; readonly spec: Fields }): readonly string[] {
  const { summary: _, ...ofWork } = work;
  const rest = Object.entries(spec).filter(([key]) => !IN_WORK.includes(key));
  return fieldLines({ ...ofWork, ...Object.fromEntries(rest) }, "");
}

const fieldLines = (fields: Fields, indent: string): string[] =>
  Object.keys(fields)
    .filter((key) => !isNothing(fields[key]))
    .sort()
    .flatMap((key) => valueLines(`${indent}${key}:`, fields[key], indent));

function valueLines(head: string, value: unknown, indent: string): string[] {
  if (isFields(value)) return [head, ...fieldLines(value, `${indent}  `)];
  if (!Array.isArray(value)) return [`${head} ${JSON.stringify(value)}`];
  if (value.every((item) => typeof item !== "object")) return [`${head} ${JSON.stringify(value)}`];
  return [head, ...value.flatMap((item) => valueLines(`${indent}  -`, item, `${indent}  `))];
}
