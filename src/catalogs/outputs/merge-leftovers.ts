import { type BlockLimits, type BlockSize, isWithin, joined } from "../../core/block-size.ts";

/** An output block that takes units; its units may be moved only while it is not firm. */
interface OpenBlock extends BlockSize {
  readonly name: string;
  readonly isFirm: boolean;
  /** Some of its files are registered as its own: they cannot be moved any more. */
  readonly isRegistered: boolean;
  /** A unit of it is refused: it may wait for days, and nothing else waits with it. */
  readonly isRefused: boolean;
}

/** What is left over goes `from` there `into` that one, which is firm from then on. */
interface BlockMerge {
  readonly into: string;
  readonly from: readonly string[];
}

/**
 * The open blocks of one dataset when all of its units are there: the largest first, each into the first one that has room
 * for it. What has room nowhere stands alone. Files move as little as they can, and few blocks are left.
 */
export function mergeLeftovers(open: readonly OpenBlock[], limits: BlockLimits): readonly BlockMerge[] {
  const bySize = open.toSorted((a, b) => b.bytes - a.bytes || b.units - a.units || (a.name < b.name ? -1 : 1));
  const bins: { block: OpenBlock; size: BlockSize; from: string[] }[] = [];
  const stays = ({ isFirm, isRegistered, isRefused }: OpenBlock) => isFirm || isRegistered || isRefused;
  for (const block of [...bySize.filter(stays), ...bySize.filter((one) => !stays(one))]) {
    const hasRoom = (bin: (typeof bins)[number]) => !bin.block.isRefused && isWithin(joined(bin.size, block), limits);
    const bin = stays(block) ? undefined : bins.find(hasRoom);
    if (!bin) bins.push({ block, size: block, from: [] });
    else {
      bin.from.push(block.name);
      bin.size = joined(bin.size, block);
    }
  }
  return bins
    .filter(({ block, from }) => !block.isFirm || from.length > 0)
    .map(({ block, from }) => ({ into: block.name, from }));
}
