import type { Month } from "../../core/calendar.ts";
import type { SegmentsWork } from "../../core/segments.ts";
import type { Form } from "../../intake/reading/form.ts";
import { MAX_BYTES, MAX_JOBS } from "../graph/limits.ts";
import { plainPath } from "../graph/plain-path.ts";
import { HISTORY, historyId, historyPath, segmentNodes, segmentsOf } from "./nodes.ts";

/** Two makers of one file would undo each other. Of a run without an end, as far as all lengths come round twice. */
export function checkOutputs(work: SegmentsWork, top: Form): void {
  const lengths = work.components.flatMap(({ products }) => products.map(({ lengthMonths }) => lengthMonths));
  const starts = work.components.map(({ start }) => start);
  const to = work.end ?? Math.max(work.start, ...starts) + 2 * Math.max(work.segmentMonths, ...lengths);
  const count = countProducts(work, to);
  if (count > MAX_JOBS) {
    top.problem(work.end === null ? "components" : "end", `would be ${count} products; at most ${MAX_JOBS}`);
    return;
  }
  const bytes = writtenBytes(work, to);
  if (bytes > MAX_BYTES) {
    const sized = `would be ${Math.ceil(bytes / 1e6)} MB when written out; at most ${MAX_BYTES / 1e6} MB`;
    top.problem("components", sized, "fewer or shorter outputs, or longer segments");
    return;
  }
  const makers = new Map<string, string>();
  const told = new Set<string>();
  const folders = new Set<string>();
  const claim = (path: string, id: string, template: string, key: string, allowed: string): void => {
    const plain = plainPath(path, work.directory);
    const other = makers.get(plain);
    makers.set(plain, id);
    if (other === undefined || told.has(template)) return;
    told.add(template);
    top.problem(key, `${other} and ${id} would both be ${path}`, allowed);
  };
  for (const segment of segmentsOf(work, to))
    claim(historyPath(work, segment), historyId(segment), HISTORY, HISTORY, "{date} in its path");
  for (const { component, product, id, outputs } of segmentNodes(work, to))
    for (const path of component === null ? [] : outputs) {
      claim(path, id, `${component}/${product}`, "components", "{component}, {product} and {span} in outputs");
      if (path.endsWith("/")) folders.add(plainPath(path, work.directory));
    }
  const within = folders.size > 0 && [...makers].find(([path]) => parentIn(path, folders) !== null);
  if (within)
    top.problem(
      "components",
      `${within[1]} would be in ${parentIn(within[0], folders)}/, which is one product and replaced as a whole`,
      "a folder of its own for each",
    );
}

function parentIn(path: string, folders: ReadonlySet<string>): string | null {
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1))
    if (folders.has(path.slice(0, at))) return path.slice(0, at);
  return null;
}

/** Computed, not walked. */
const countProducts = ({ components, start, segmentMonths }: SegmentsWork, to: Month): number =>
  components.reduce(
    (sum, component) =>
      sum +
      component.products.reduce(
        (of, { lengthMonths }) => of + Math.floor((to - component.start) / lengthMonths) + 1,
        0,
      ),
    Math.floor((to - start) / segmentMonths),
  );

const [PRODUCT_BYTES, TEXT_BYTES, PLACEHOLDER_BYTES] = [300, 40, 100];
const textBytes = (text: string): number => TEXT_BYTES + text.length + PLACEHOLDER_BYTES * (text.split("{").length - 1);

/** How large all products are with their texts and what they are made of, at most. Computed, not walked. */
function writtenBytes({ components, segmentMonths, history }: SegmentsWork, to: Month): number {
  const input = textBytes(history.path);
  return components.reduce((sum, { products, start }) => {
    const months = Math.max(0, to - start);
    return products.reduce((of, { lengthMonths, outputs, argv }) => {
      const texts = [...outputs.map(({ path }) => path), ...argv].reduce((all, text) => all + textBytes(text), 0);
      const uses = argv.filter((word) => word.includes("{inputs}")).length;
      return (
        of + (months / lengthMonths + 1) * (PRODUCT_BYTES + texts) + (months / segmentMonths) * (16 + uses * input)
      );
    }, sum);
  }, 0);
}
