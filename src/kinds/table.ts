import { generateKind } from "./generate/kind.ts";
import { graphKind } from "./graph/kind.ts";
import { type Kinds, kindsOf } from "./kind.ts";
import { processKind } from "./process/kind.ts";
import { segmentsKind } from "./segments/kind.ts";

/** Every kind of request there is. docs/guides/adding-a-kind.md says how to add one. */
export const KINDS: Kinds = kindsOf(processKind, generateKind, graphKind, segmentsKind);
