import type { Rse, World } from "../world.ts";

/** The RSEs an expression stands for; null: it is not one. `|`, `&` and `\` from left to right, as they come. */
export function rsesOf(world: World, expression: string): Rse[] | null {
  const words = expression.match(/[()|&\\]|[^()|&\\\s]+|\s+/g) ?? [];
  const all = world.rses.values();
  let at = 0;
  const term = (): Set<Rse> | null => {
    const word = words[at];
    at += 1;
    if (word === undefined || /^[)|&\\\s]/.test(word)) return null;
    if (word !== "(") return new Set(all.filter((rse) => isMeant(rse, word)));
    const inner = whole();
    at += 1;
    return words[at - 1] === ")" ? inner : null;
  };
  const whole = (): Set<Rse> | null => {
    let left = term();
    while (left && /^[|&\\]$/.test(words[at] ?? "")) {
      const sign = words[at];
      at += 1;
      const right = term();
      if (!right) return null;
      left = new Set(sign === "|" ? [...left, ...right] : [...left].filter((rse) => right.has(rse) === (sign === "&")));
    }
    return left;
  };
  const found = whole();
  return found && at === words.length ? all.filter((rse) => found.has(rse)) : null;
}

function isMeant(rse: Rse, word: string): boolean {
  if (word === "*") return true;
  const [, key, sign, value] = /^([^=<>]+)([=<>])(.*)$/.exec(word) ?? [];
  if (key === undefined) return rse.rse === word;
  const has = { ...rse.attributes, rse_type: rse.rse_type, rse: rse.rse }[key];
  if (has === undefined) return false;
  if (sign === "=") return String(has) === value;
  return sign === "<" ? Number(has) < Number(value) : Number(has) > Number(value);
}
