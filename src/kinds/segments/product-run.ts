import type { ProductRun } from "../../core/graph.ts";
import type { NodeResources } from "../../core/plan.ts";
import type {
  Component,
  FillAction,
  NodeId,
  NodeRow,
  Product,
  SegmentNode,
  SegmentsWork,
} from "../../core/segments.ts";
import { historyPath } from "./nodes.ts";
import { fillCommand, intervalValues, levelsOf, productValues, textOf } from "./texts.ts";
import { WORKER_CODES } from "./worker-codes.ts";

/** The product that a node is a chunk of; null: it is history. */
export function productOf(work: SegmentsWork, node: SegmentNode): { component: Component; product: Product } | null {
  const component = work.components.find(({ name }) => name === node.component);
  const product = component?.products.find(({ name }) => name === node.product);
  return component && product ? { component, product } : null;
}

export const resourcesOf = (work: SegmentsWork, node: SegmentNode): NodeResources =>
  (productOf(work, node)?.product ?? work.history.transfer!).resources;

/** How a worker makes a node. */
export function productRun(
  work: SegmentsWork,
  node: SegmentNode,
  { kind }: Pick<FillAction, "kind">,
  nodes: ReadonlyMap<NodeId, SegmentNode>,
  row: NodeRow | undefined,
): ProductRun {
  const made = productOf(work, node);
  if (!made) return transferRun(work, node);
  const { component, product } = made;
  const values = productValues(work, component, product, node.interval);
  const history = node.history.map((segment) => historyPath(work, segment));
  const reads = node.needs.flatMap((id) => nodes.get(id)?.outputs ?? []);
  const aside = node.outputs.map(asideOf);
  const levels = levelsOf(work, product, node.interval);
  return {
    id: node.id,
    argv: fillCommand(product.argv, values, { inputs: [...reads, ...history], outputs: aside }),
    history,
    partialSuffix: work.history.partialSuffix,
    reads,
    makes: node.outputs,
    aside,
    least: product.outputs.map(({ minBytes }) => minBytes),
    ...(product.outputs.some(({ path }) => path.endsWith("/")) && {
      files: product.outputs.map(({ files = 1 }) => files),
    }),
    expected: product.outputs.map((output) => (output.levels === null ? null : levels)),
    levels: product.outputs.map((output) => countCommand(output.levels, values)),
    // One that was verified before is made again because it is not what it should be.
    // Nobody knows of a folder that somebody else left whether it is whole, unless it is known how many files it has.
    keep:
      (kind === "make" || kind === "retry") &&
      (row?.madeSum ?? null) === null &&
      product.outputs.every(({ path, files }) => !path.endsWith("/") || files !== undefined),
    codes: codesOf(work),
  };
}

/** The file is put in where it is counted. */
const countCommand = (argv: readonly string[] | null, values: Readonly<Record<string, string>>) =>
  argv?.map((word) => textOf(word)({ ...values, output: "{output}" })) ?? null;

function codesOf({ exitCodes: { inputMissing, transient } }: SegmentsWork): Record<string, number> {
  const as = (codes: readonly number[], code: number) => codes.map((each) => [String(each), code] as const);
  return Object.fromEntries([...as(inputMissing, WORKER_CODES.inputMissing), ...as(transient, WORKER_CODES.transient)]);
}

/** In the same folder, so that it can be renamed, and with the same ending, as programs look at that. */
function asideOf(path: string): string {
  const plain = path.replace(/\/+$/, "");
  const name = plain.lastIndexOf("/") + 1;
  return `${plain.slice(0, name)}.wms2-made.${plain.slice(name)}`;
}

/** The installation's command gives history its name when it is whole. */
function transferRun(work: SegmentsWork, node: SegmentNode): ProductRun {
  const { transfer, minBytes, partialSuffix } = work.history;
  const values = intervalValues(work, node.interval);
  return {
    id: node.id,
    argv: fillCommand(transfer!.argv, values, { inputs: [], outputs: node.outputs }),
    history: [],
    partialSuffix,
    reads: [],
    makes: node.outputs,
    aside: [],
    least: [minBytes],
    expected: [null],
    levels: [null],
    keep: false,
    ...(transfer!.argumentFiles && { stager: { directory: transfer!.argumentFiles, date: values.date } }),
    codes: { other: WORKER_CODES.transient },
  };
}
