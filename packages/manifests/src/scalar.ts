/**
 * Scalars as the parser of Kubernetes reads them (go-yaml 2 below sigs.k8s.io/yaml), so that a manifest means here what
 * it means to kubectl: `yes` and `on` are booleans, `0644` is octal, timestamps are text. Neither schema of YAML is
 * exactly that. What would silently be something else in JSON or in JavaScript is refused instead.
 */
export type Scalar = string | number | boolean | null;

/** A scalar that cannot be kept, and what to do about it. */
export interface RefusedScalar {
  readonly refused: string;
}

const words = new Map<string, Scalar>([
  ...["", "~", "null", "Null", "NULL"].map((word) => [word, null] as const),
  ...["y", "yes", "on", "true"].flatMap((word) =>
    spellings(word).map((spelling) => [spelling, true] as const),
  ),
  ...["n", "no", "off", "false"].flatMap((word) =>
    spellings(word).map((spelling) => [spelling, false] as const),
  ),
]);

/** YAML 1.1 knows three spellings of its booleans: `on`, `On`, `ON`, but not `oN`. */
function spellings(word: string): string[] {
  return [word, word.slice(0, 1).toUpperCase() + word.slice(1), word.toUpperCase()];
}

const integer = /^(?:0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|0|[1-9][0-9]*)$/;
const octalOfYaml11 = /^0[0-7]+$/;
const decimal = /^(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const notFinite = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const startsNumber = /^[-+.0-9]/;

/** The value of a scalar without quotes and without a tag. */
export function resolvePlain(source: string): Scalar | RefusedScalar {
  const word = words.get(source);
  if (word !== undefined) return word;
  return startsNumber.test(source) ? resolveNumber(source) : source;
}

function resolveNumber(source: string): Scalar | RefusedScalar {
  if (notFinite.test(source)) {
    return {
      refused: "infinity and not-a-number cannot be written as JSON; quote it if it is meant as text",
    };
  }
  const plain = source.replaceAll("_", "");
  const digits = plain.replace(/^[-+]/, "");
  const isInteger = integer.test(digits);
  if (!isInteger && !decimal.test(digits)) return source;
  const amount = octalOfYaml11.test(digits) ? Number.parseInt(digits, 8) : Number(digits);
  if (isInteger && !Number.isSafeInteger(amount)) {
    return {
      refused: `a whole number above ${Number.MAX_SAFE_INTEGER} cannot be kept exactly; quote it if it is meant as text`,
    };
  }
  if (!Number.isFinite(amount)) return source;
  return plain.startsWith("-") && amount !== 0 ? -amount : amount;
}

const standardTag = /^(?:!!|!<tag:yaml\.org,2002:)([a-z]+)>?$/;

/** The value of a scalar with a tag, such as `!!str 5`. */
export function resolveTagged(tag: string, source: string): Scalar | RefusedScalar {
  const name = tagName(tag);
  if (name === "str") return source;
  if (name === "binary") {
    return {
      refused: "the tag !!binary is not allowed: Kubernetes expects the base64 text itself, without a tag",
    };
  }
  const fits = typeChecks.get(name);
  if (fits === undefined) return { refused: refusedTag };
  const value = resolvePlain(source);
  if (typeof value === "object" && value !== null) return value;
  return fits(value) ? value : { refused: "the value is not what its tag says it is" };
}

const typeChecks: ReadonlyMap<string, (value: Scalar) => boolean> = new Map([
  ["int", Number.isInteger],
  ["float", (value) => typeof value === "number"],
  ["bool", (value) => typeof value === "boolean"],
  ["null", (value) => value === null],
]);

export const refusedTag =
  "tags of one's own are not allowed: Kubernetes objects are plain JSON; remove the tag";

/** The name of a tag of YAML itself; empty for others. `!` alone makes text of a scalar. */
export function tagName(tag: string): string {
  return tag === "!" ? "str" : (standardTag.exec(tag)?.[1] ?? "");
}
