import { eachInSlices, toEnd } from "../../core/base/slices.ts";
import { type Interval, type Month, writeInterval } from "../../core/calendar.ts";
import type { Component, NodeId, Product, SegmentNode, SegmentsWork } from "../../core/segments.ts";
import { chunksOf, type DueUntil, dueUntil, madeOfChunks, partOf } from "./lengths.ts";
import { intervalValues, productValues, textOf } from "./texts.ts";

/** No component may have this name: it is that of the nodes which bring history. */
export const HISTORY = "history";

export const historyId = (segment: Interval): NodeId => `${HISTORY}/${writeInterval(segment)}`;
export const productId = (component: string, product: string, chunk: Interval): NodeId =>
  `${component}/${product}/${writeInterval(chunk)}`;

/** The segments whose history could be there, in order. */
export function segmentsOf({ start, segmentMonths, end }: SegmentsWork, to: Month): readonly Interval[] {
  const last = Math.min(to, end ?? to);
  const segments: Interval[] = [];
  for (let from = start; from + segmentMonths <= last; from += segmentMonths)
    segments.push({ from, to: from + segmentMonths });
  return segments;
}

/**
 * Everything that falls due up to a month: by date, what is needed before what needs it, else in the order of the document.
 * Always the same for the same work, and nothing has to be recorded for a node to be known.
 */
export const segmentNodes = (work: SegmentsWork, to: Month): readonly SegmentNode[] =>
  toEnd(segmentNodesInSlices(work, to));

export function* segmentNodesInSlices(work: SegmentsWork, to: Month): Generator<undefined, readonly SegmentNode[]> {
  const until = dueUntil(work, to);
  const segments = segmentsOf(work, to);
  const byDate = new Map<Month, SegmentNode[]>();
  const add = (node: SegmentNode): void => {
    const due = byDate.get(node.interval.to);
    if (due) due.push(node);
    else byDate.set(node.interval.to, [node]);
  };
  if (work.history.transfer) for (const node of historyNodes(work, segments)) add(node);
  for (const component of work.components)
    for (const product of [...component.products].sort((a, b) => a.lengthMonths - b.lengthMonths))
      yield* eachInSlices(productNodes(work, component, product, segments, until), add);
  return [...byDate.keys()].sort((a, b) => a - b).flatMap((date) => byDate.get(date)!);
}

/** Where the history of a segment lies, from the directory of the work. */
export const historyPath = (work: SegmentsWork, segment: Interval): string =>
  textOf(work.history.path)(intervalValues(work, segment));

const historyNodes = (work: SegmentsWork, segments: readonly Interval[]): readonly SegmentNode[] =>
  segments.map((interval) => ({
    id: historyId(interval),
    component: null,
    product: null,
    interval,
    needs: [],
    history: [],
    outputs: [historyPath(work, interval)],
  }));

function* productNodes(
  work: SegmentsWork,
  component: Component,
  product: Product,
  segments: readonly Interval[],
  until: DueUntil,
): Generator<SegmentNode> {
  const part = partOf(component, product);
  const paths = product.outputs.map(({ path }) => textOf(path));
  const segmentAt = (month: Month): number => (month - work.start) / work.segmentMonths;
  for (const interval of chunksOf(product, component.start, until)) {
    const parts = madeOfChunks(interval, product, part, until);
    const values = productValues(work, component, product, interval);
    yield {
      id: productId(component.name, product.name, interval),
      component: component.name,
      product: product.name,
      interval,
      needs: parts?.map((chunk) => productId(component.name, part!.name, chunk)) ?? [],
      history: parts ? [] : segments.slice(segmentAt(interval.from), segmentAt(interval.to)),
      outputs: paths.map((path) => path(values)),
    };
  }
}
