import type { UnitSpec } from "./request.ts";

/** How much is in an output block, or would be. */
export interface BlockSize {
  readonly units: number;
  readonly bytes: number;
}
export type BlockLimits = Pick<UnitSpec, "blockTargetBytes" | "maxUnitsPerBlock">;

export const joined = (one: BlockSize, other: BlockSize): BlockSize => ({
  units: one.units + other.units,
  bytes: one.bytes + other.bytes,
});

export const isWithin = ({ units, bytes }: BlockSize, limits: BlockLimits): boolean =>
  units <= limits.maxUnitsPerBlock && bytes <= limits.blockTargetBytes;

/** Nothing more is put into it. */
export const isFull = ({ units, bytes }: BlockSize, limits: BlockLimits): boolean =>
  units >= limits.maxUnitsPerBlock || bytes >= limits.blockTargetBytes;

/** Of the size a block should have: from here on it is worth a block of its own, and a place of its own on tape. */
const FIRM_SHARE = 0.2;
export const isFirm = ({ units, bytes }: BlockSize, limits: BlockLimits): boolean =>
  units >= FIRM_SHARE * limits.maxUnitsPerBlock || bytes >= FIRM_SHARE * limits.blockTargetBytes;
