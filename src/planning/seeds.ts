/**
 * One seed per node, in 1 … 2^31 − 1, which every payload can read as a number. Within a request no two nodes share
 * one: the node's index, moved by a hash of the request's name, goes through a permutation of the 31-bit
 * numbers. A clone has another name, so other seeds.
 */
export function seedMaker(requestName: string): (nodeIndex: number) => bigint {
  const start = hash(requestName) % MODULUS;
  return (nodeIndex) => {
    const seed = permute(1 + ((start + nodeIndex) % MODULUS));
    // Exactly one of the inputs maps to 0; it takes the place of 0's own image, which no input has.
    return BigInt(seed === 0 ? permute(0) : seed);
  };
}

const MODULUS = 0x7fff_ffff;

/** Each line can be undone on 31 bits, so the whole is one-to-one. */
function permute(value: number): number {
  let at = (value + 0x5bd1_e995) & MODULUS;
  at = Math.imul(at, 0x2c1b_3c6d) & MODULUS;
  at ^= at >>> 15;
  at = Math.imul(at, 0x297a_2d39) & MODULUS;
  at ^= at >>> 14;
  return at;
}

/** FNV-1a over the name's UTF-16 units. */
function hash(text: string): number {
  let at = 0x811c_9dc5;
  for (let index = 0; index < text.length; index++) at = Math.imul(at ^ text.charCodeAt(index), 0x0100_0193);
  return at >>> 0;
}
