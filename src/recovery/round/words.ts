/** Small pieces of sentences. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

export function percent(share: number): string {
  const value = share * 100;
  return `${value > 0 && value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} %`;
}

/** "a, b, c and 4 more". */
export function listed(items: readonly string[], most = 3): string {
  if (items.length <= most) return items.join(", ");
  return `${items.slice(0, most).join(", ")} and ${items.length - most} more`;
}

/** At most so many characters; control characters become spaces, so that nothing a job printed moves the cursor. */
export function cut(text: string, most: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
  const plain = text.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, " ").trimEnd();
  if (plain.length <= most) return plain;
  return most <= 1 ? plain.slice(0, most) : `${plain.slice(0, most - 1)}…`;
}
