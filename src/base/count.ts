/** 1 unit, 2 units. */
export const count = (number: number, word: string, many = `${word}s`): string =>
  `${number} ${number === 1 ? word : many}`;

/** 12,345: numbers that people compare. */
export const thousands = (number: number | string | bigint): string => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
