/** The tokens that the grammar allows next. */
type Expected = "value" | "valueOrEnd" | "keyOrEnd" | "key" | "colon" | "commaOrEnd";

const space = /[ \t\n\r]*/y;
const scalar = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * Where a text stops being JSON, or undefined if it never does. `JSON.parse` says so only sometimes, and then together
 * with a piece of the text, which may be a secret. Slow, and only for texts that `JSON.parse` has refused.
 */
export function jsonErrorOffset(text: string): number | undefined {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  let at = skip(space, text, 0);
  while (at < text.length) {
    const character = text[at] ?? "";
    const end = endOfToken(text, at, expected);
    if (typeof end === "object") return end.offset;
    if (character === "{" || character === "[") open.push(character);
    else if (character === "}" || character === "]") {
      if (open.pop() !== (character === "}" ? "{" : "[")) return at;
    }
    expected = next(expected, character, open.at(-1));
    at = skip(space, text, end);
    if (open.length === 0 && expected === "commaOrEnd") return at < text.length ? at : undefined;
  }
  return text.length;
}

interface Broken {
  readonly offset: number;
}

/** Where the token ends that begins here, if it is one that is expected. */
function endOfToken(text: string, at: number, expected: Expected): number | Broken {
  const character = text[at] ?? "";
  const broken = { offset: at };
  if (expected === "colon") return character === ":" ? at + 1 : broken;
  if (expected === "commaOrEnd") return ",}]".includes(character) ? at + 1 : broken;
  if (character === '"') return endOfString(text, at);
  if (expected === "key" || expected === "keyOrEnd") {
    return expected === "keyOrEnd" && character === "}" ? at + 1 : broken;
  }
  if (character === "]" && expected === "valueOrEnd") return at + 1;
  if (character === "{" || character === "[") return at + 1;
  const end = skip(scalar, text, at);
  return end > at ? end : broken;
}

function endOfString(text: string, start: number): number | Broken {
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (character === '"') return at + 1;
    if (character < " ") return { offset: at };
    if (character === "\\") {
      const end = skip(escape, text, at);
      if (end === at) return { offset: at };
      at = end - 1;
    }
  }
  return { offset: text.length };
}

function next(expected: Expected, character: string, inside: "{" | "[" | undefined): Expected {
  if (expected === "colon") return "value";
  if (expected === "commaOrEnd" && character === ",") return inside === "{" ? "key" : "value";
  if (character === "}" || character === "]") return "commaOrEnd";
  if (expected === "key" || expected === "keyOrEnd") return "colon";
  if (character === "{") return "keyOrEnd";
  return character === "[" ? "valueOrEnd" : "commaOrEnd";
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
