import { isName } from "../../../core/names.ts";

/** A name that may reach files, made of any text; the text itself where it is one. */
export function plainName(text: string): string {
  if (isName(text)) return text;
  const plain = text.replaceAll(/[^A-Za-z0-9_.-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "");
  return plain.slice(0, 200).replace(/-+$/, "") || "imported";
}
