import {
  Composer,
  type CST,
  type Document,
  Lexer,
  type LineCounter,
  type ParsedNode,
  Parser,
  YAMLParseError,
} from "yaml";
import { MAX_DEPTH, TOO_DEEP } from "./nesting.ts";

/** Of words and signs. This many are read in half a second. */
const MAX_TOKENS = 160_000;
const MAX_ERRORS = 100;

/** Said in words that people read; nothing of the document was made of it. */
export class TooMuchYaml extends Error {}

export type YamlDocument = Document.Parsed<ParsedNode, true>;

/**
 * As the library's own parseDocument, with bounds: its tokens are counted and their depth is looked at while they come,
 * before anything is made of them. Composing calls itself at every level, and a few kilobytes of "- - - …" would end the process.
 */
export function yamlDocument(text: string, lineCounter: LineCounter): YamlDocument {
  const composer = new Composer<ParsedNode, true>({
    version: "1.2",
    schema: "core",
    customTags: [],
    merge: false,
    intAsBigInt: true,
    uniqueKeys: false, // it compares every key with every other one
    stringKeys: true,
    prettyErrors: false,
    logLevel: "error",
    lineCounter,
  });
  let document: YamlDocument | null = null;
  for (const one of composer.compose(tokensOf(text, lineCounter), true, text.length)) {
    if (document === null) document = one;
    else {
      const [from, to] = one.range;
      document.errors.push(new YAMLParseError([from, to], "MULTIPLE_DOCS", "several documents"));
      break;
    }
  }
  return document!;
}

function* tokensOf(text: string, lineCounter: LineCounter): Generator<CST.Token> {
  const parser = new Parser(lineCounter.addNewLine);
  lineCounter.addNewLine(0);
  let [tokens, errors] = [0, 0];
  for (const lexeme of new Lexer().lex(text)) {
    tokens += 1;
    if (tokens > MAX_TOKENS)
      throw new TooMuchYaml(`has more than ${MAX_TOKENS} words and signs: put long lists into files, or send JSON`);
    for (const token of parser.next(lexeme)) {
      if (token.type === "error") errors += 1;
      yield token;
    }
    // The document itself and a value in the making stand on the stack as well.
    if (parser.stack.length > MAX_DEPTH + 2) throw new TooMuchYaml(TOO_DEEP);
    if (errors > MAX_ERRORS) break;
  }
  yield* parser.end();
}
