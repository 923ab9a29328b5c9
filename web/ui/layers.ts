/** Nodes in layers from top to bottom, for graphs small enough to be read: whoever waits stands below whom it waits for. */
export interface Edges {
  readonly from: readonly string[];
  /** Each of them waits for each of `from`. */
  readonly to: readonly string[];
}
export interface Layers {
  /** From top to bottom, each from left to right. */
  readonly rows: readonly (readonly string[])[];
  readonly places: ReadonlyMap<string, Place>;
  readonly columns: number;
  /** Layers of several rows whose nodes all wait for the same: lines lead to the frame around them. */
  readonly frames: readonly Frame[];
  /** Between nodes and frames. */
  readonly lines: readonly Line[];
}
interface Place {
  readonly row: number;
  /** Halves are possible: a row stands in the middle. */
  readonly column: number;
}
interface Frame {
  readonly id: string;
  readonly members: ReadonlySet<string>;
  /** Its rows, the last included. */
  readonly first: number;
  readonly last: number;
}
type Line = readonly [from: string, to: string];

/** `across`: as many beside each other as there is room for; a wider layer takes several rows. */
export function inLayers(ids: readonly string[], edges: readonly Edges[], across: number): Layers {
  const lines = linesOf(ids, edges);
  const near = nearOf(ids, lines);
  const rows: string[][] = [];
  const frames: Frame[] = [];
  for (const layer of order(ids, near, depthOf(ids, lines))) {
    const own = inRows(layer, across);
    if (own.length > 1 && new Set(layer.map((id) => JSON.stringify([near.above(id), near.below(id)]))).size === 1)
      frames.push({
        id: `frame ${frames.length}`,
        members: new Set(layer),
        first: rows.length,
        last: rows.length + own.length - 1,
      });
    rows.push(...own);
  }
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const places = new Map<string, Place>();
  for (const [row, own] of rows.entries())
    for (const [at, id] of own.entries()) places.set(id, { row, column: (columns - own.length) / 2 + at });
  const endOf = (id: string) => frames.find(({ members }) => members.has(id))?.id ?? id;
  return { rows, places, columns, frames, lines: once(lines.map(([from, to]) => [endOf(from), endOf(to)])) };
}

function inRows(layer: readonly string[], across: number): string[][] {
  const many = Math.ceil(layer.length / Math.max(1, across));
  const each = Math.ceil(layer.length / many);
  return Array.from({ length: Math.ceil(layer.length / each) }, (_, row) => layer.slice(row * each, (row + 1) * each));
}

const once = (lines: readonly Line[]): readonly Line[] => [
  ...new Map(lines.map((line) => [JSON.stringify(line), line])).values(),
];

function linesOf(ids: readonly string[], edges: readonly Edges[]): readonly Line[] {
  const known = new Set(ids);
  const all = edges.flatMap(({ from, to }) => from.flatMap((parent) => to.map((child): Line => [parent, child])));
  return once(all.filter(([parent, child]) => parent !== child && known.has(parent) && known.has(child)));
}

interface Near {
  readonly above: (id: string) => readonly string[];
  readonly below: (id: string) => readonly string[];
}

function nearOf(ids: readonly string[], lines: readonly Line[]): Near {
  const above = new Map<string, string[]>(ids.map((id) => [id, []]));
  const below = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const [parent, child] of lines) {
    above.get(child)!.push(parent);
    below.get(parent)!.push(child);
  }
  for (const list of [...above.values(), ...below.values()]) list.sort();
  return { above: (id) => above.get(id)!, below: (id) => below.get(id)! };
}

/** The longest way from the top. Should there be a circle, all of it stands at the top. */
function depthOf(ids: readonly string[], lines: readonly Line[]): ReadonlyMap<string, number> {
  const depth = new Map(ids.map((id) => [id, 0]));
  const waits = new Map(ids.map((id) => [id, 0]));
  const children = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const [parent, child] of lines) {
    waits.set(child, waits.get(child)! + 1);
    children.get(parent)!.push(child);
  }
  const ready = ids.filter((id) => waits.get(id) === 0);
  for (let next = ready.pop(); next !== undefined; next = ready.pop())
    for (const child of children.get(next)!) {
      depth.set(child, Math.max(depth.get(child)!, depth.get(next)! + 1));
      waits.set(child, waits.get(child)! - 1);
      if (waits.get(child) === 0) ready.push(child);
    }
  return depth;
}

const SWEEPS = 4;

/** Layer by layer; within one, whoever hangs together stands near each other, so that few lines cross. */
function order(ids: readonly string[], { above, below }: Near, depth: ReadonlyMap<string, number>): string[][] {
  const layers: string[][] = [];
  for (const id of ids) {
    layers[depth.get(id)!] ??= [];
    layers[depth.get(id)!]!.push(id);
  }
  // As a share of the layer: layers differ in width.
  const share = new Map<string, number>();
  const note = (layer: readonly string[]) => {
    for (const [at, id] of layer.entries()) share.set(id, (at + 0.5) / layer.length);
  };
  for (const layer of layers) note(layer);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const near = sweep % 2 === 0 ? above : below;
    for (const layer of sweep % 2 === 0 ? layers : layers.toReversed()) {
      const wish = new Map(
        layer.map((id) => [
          id,
          mean(
            near(id).map((other) => share.get(other)!),
            share.get(id)!,
          ),
        ]),
      );
      layer.sort((a, b) => wish.get(a)! - wish.get(b)!);
      note(layer);
    }
  }
  return layers;
}

const mean = (values: readonly number[], otherwise: number): number =>
  values.length === 0 ? otherwise : values.reduce((sum, value) => sum + value, 0) / values.length;
