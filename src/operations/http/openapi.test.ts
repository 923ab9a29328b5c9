import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fakeApi } from "../../../tests/support/api-fakes.ts";

interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
  readonly security?: unknown;
  readonly tags: readonly string[];
}

/** The schema a part of the document refers to; in-line ones have no name. */
const nameOf = (part: unknown): string =>
  /"#\/components\/schemas\/(\w+)"/.exec(JSON.stringify(part ?? null))?.[1]?.replace(/Input$/, "") ?? "";

/** One line for each operation: what it takes, what it answers, and whether it needs a token. */
function lineOf(path: string, method: string, { parameters = [], requestBody, responses, ...rest }: Described): string {
  const taken = parameters.map(({ name, in: place, required }) => `${place}:${name}${required ? "" : "?"}`);
  const answers = Object.entries(responses).map(([status, part]) => [status, nameOf(part)].filter(Boolean).join(" "));
  const body = requestBody ? [`body:${nameOf(requestBody) || "any"}`] : [];
  const needs = rest.security ? ["token"] : [];
  return [
    `${method.toUpperCase()} ${path}`,
    rest.tags.join(),
    ...needs,
    ...taken,
    ...body,
    "→",
    answers.join(", "),
  ].join(" ");
}

test("the API offers what it always offered: paths, methods, parameters, bodies and answers", async () => {
  const { app } = fakeApi();
  await app.ready();
  const { paths, components } = app.swagger() as unknown as {
    paths: Record<string, Record<string, Described>>;
    components: { schemas: Record<string, { properties?: object; required?: readonly string[] }> };
  };
  if (process.env.DUMP) writeFileSync(process.env.DUMP, JSON.stringify(app.swagger(), null, 1));
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => lineOf(path, method, operation)),
  );
  const schemas = Object.entries(components.schemas).map(
    ([name, { properties = {}, required = [] }]) =>
      `${name}: ${Object.keys(properties)
        .map((key) => (required.includes(key) ? key : `${key}?`))
        .join(" ")}`,
  );
  const text = [...operations.sort(), "", ...schemas.sort(), ""].join("\n");
  await expect(text).toMatchFileSnapshot("../../../tests/golden/openapi.txt");
  await app.close();
});
