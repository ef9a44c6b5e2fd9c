import { createContext, Script } from "node:vm";

/**
 * Patterns come from whoever may create a CustomResourceDefinition. The real server matches in linear time; here a
 * pattern could backtrack for ever, so one that might is run with a time limit and counts as not matching beyond it.
 */
export interface BoundedPattern {
  test(text: string): boolean;
}

const timeoutMs = 100;
const plainTextLimit = 1024;

/** Compiles a pattern. Undefined if it is none. */
export function compilePattern(pattern: string): BoundedPattern | undefined {
  const expression = toExpression(pattern);
  if (expression === undefined) return undefined;
  const isHarmless = looksLinear(pattern);
  return {
    test: (text) =>
      isHarmless && text.length <= plainTextLimit ? expression.test(text) : testWithin(expression, text),
  };
}

/** Turns the server's dialect (RE2) into this one. */
function toExpression(pattern: string): RegExp | undefined {
  const [, flags = "", body = pattern] = /^\(\?([is]+)\)(.*)$/s.exec(pattern) ?? [];
  const source = body
    .replaceAll("(?P<", "(?<")
    .replaceAll("\\A", "^")
    .replaceAll("\\z", "$")
    .replaceAll(/\[:(\w+):\]/g, (whole, name: string) => posixClasses.get(name) ?? whole);
  try {
    return new RegExp(source, flags + (/\\p/i.test(source) ? "u" : ""));
  } catch {
    return undefined;
  }
}

const posixClasses: ReadonlyMap<string, string> = new Map([
  ["alnum", "0-9A-Za-z"],
  ["alpha", "A-Za-z"],
  ["digit", "0-9"],
  ["lower", "a-z"],
  ["upper", "A-Z"],
  ["space", "\\s"],
  ["word", "\\w"],
  ["xdigit", "0-9A-Fa-f"],
]);

/** At most two open-ended repetitions, and none inside a repeated group: then the work is bounded by the square. */
function looksLinear(pattern: string): boolean {
  const bare = pattern.replaceAll(/\\./g, "x").replaceAll(/\[[^\]]*\]/g, "x");
  const repeatedGroup = /\)[*+{]/.test(bare);
  const openEnded = bare.match(/[*+]|\{\d*,\}/g) ?? [];
  return openEnded.length <= 2 && !repeatedGroup && !/\(\?[=!<]|\\\d/.test(pattern);
}

const script = new Script("expression.test(text)");
let context: { expression?: RegExp; text?: string } | undefined;

function testWithin(expression: RegExp, text: string): boolean {
  context ??= createContext({});
  context.expression = expression;
  context.text = text;
  // The limit is one of the wall clock, and a busy machine may let this thread wait for most of it.
  for (let timeout = timeoutMs; ; timeout *= 2) {
    const before = process.threadCpuUsage();
    try {
      return script.runInContext(context, { timeout }) === true;
    } catch {
      const { user, system } = process.threadCpuUsage(before);
      if (user + system >= (timeoutMs * 1_000) / 2) return false;
    }
  }
}
