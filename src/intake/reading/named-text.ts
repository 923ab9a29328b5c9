import { Document, isMap, parseDocument } from "yaml";
import { parseJson } from "../../core/base/json.ts";

/** Longer ones are nobody's to edit by hand, and laying them out would take everybody's time. */
const MOST_CHARACTERS = 300_000;

/**
 * A document as somebody wrote it, under another name, as YAML that people edit: comments and order stay. What programs wrote
 * in one line of JSON is laid out.
 */
export function namedText(text: string, name: string): string {
  if (text.length > MOST_CHARACTERS) return text;
  const options = { lineWidth: 120, flowCollectionPadding: false };
  if (text.trimStart().startsWith("{")) {
    const read = parseJson(text);
    if (!read.ok) return text;
    return new Document({ ...(read.value as object), name }, { aliasDuplicateObjects: false }).toString(options);
  }
  const document = parseDocument(text, { intAsBigInt: true });
  if (isMap(document.contents)) document.set("name", name);
  return document.toString(options);
}
