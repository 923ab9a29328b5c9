/** 1 unit, 2 units. */
export const count = (number: number, word: string, many = `${word}s`): string =>
  `${number} ${number === 1 ? word : many}`;
