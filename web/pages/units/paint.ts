import type { Tone } from "../../ui/badge.tsx";
import type { Layout } from "./layout.ts";

/** A colour as one pixel of ImageData: alpha, blue, green, red from the highest byte on. */
export const pixel = (hex: string): number => {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as [
    number,
    number,
    number,
  ];
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
};

/** Whether white is read better on it than black. */
export const isDarkPixel = (colour: number): boolean =>
  (colour & 255) * 0.3 + ((colour >> 8) & 255) * 0.59 + ((colour >> 16) & 255) * 0.11 < 120;

export const TONE_PIXEL: Readonly<Record<Tone, number>> = {
  waiting: pixel("#d4d4d4"),
  running: pixel("#56b4e9"),
  done: pixel("#0b6e4f"),
  failed: pixel("#d55e00"),
  held: pixel("#f0c000"),
  retrying: pixel("#7b3294"),
};

/** From little to much; the first is nothing at all. */
export const SCALE = ["#d4d4d4", "#fde0c5", "#f9b58b", "#ee8354", "#d9512c", "#9e2a1a"].map(pixel);

/** The step of a value on the scale, by its share of the most. */
export const scaleStep = (value: number, most: number): number =>
  value <= 0 ? 0 : Math.max(1, Math.min(SCALE.length - 1, Math.ceil((value / Math.max(1, most)) * (SCALE.length - 1))));

/** Kinds that have no order: as far apart as the eye can tell, then again from the beginning. */
export const KINDS = ["#d55e00", "#56b4e9", "#f0c000", "#7b3294", "#8c6d31", "#e377c2", "#4d4d4d", "#17becf"].map(
  pixel,
);

/** Fills pixels: a cell for each unit, what is chosen with a frame around it. */
export function paintCells(
  pixels: Uint32Array,
  width: number,
  { columns, pitch, cell }: Layout,
  colours: Uint32Array,
  chosen: ReadonlySet<number>,
  frame: number,
): void {
  pixels.fill(0);
  for (let index = 0; index < colours.length; index++) {
    const start = Math.floor(index / columns) * pitch * width + (index % columns) * pitch;
    const colour = colours[index]!;
    for (let y = 0; y < cell; y++) pixels.fill(colour, start + y * width, start + y * width + cell);
    if (chosen.size > 0 && chosen.has(index)) frameCell(pixels, start, width, cell, frame);
  }
}

function frameCell(pixels: Uint32Array, start: number, width: number, cell: number, frame: number): void {
  const thick = cell >= 8 ? 2 : 1;
  for (let y = 0; y < cell; y++) {
    const row = start + y * width;
    if (y < thick || y >= cell - thick) pixels.fill(frame, row, row + cell);
    else {
      pixels.fill(frame, row, row + thick);
      pixels.fill(frame, row + cell - thick, row + cell);
    }
  }
}
