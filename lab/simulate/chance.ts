/**
 * Chance that does not depend on the order in which it is asked: the same seed and the same words give the same
 * share of 1. FNV-1a, with a last mixing, for FNV alone leaves similar words close to each other.
 */
export function chance(seed: number, ...words: readonly (string | number)[]): number {
  let hash = 0x811c9dc5 ^ seed;
  const text = words.join("\u0000");
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
