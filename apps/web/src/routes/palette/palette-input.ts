/** What somebody means by what they typed into the palette. */
export interface PaletteInput {
  /** What is looked for. */
  readonly text: string;
  /** Kinds or pages (`:`), clusters (`@`), labels (`#`), questions (`?`), actions (`>`); everything without one. */
  readonly mode: "all" | "kind" | "cluster" | "label" | "question" | "action";
  /** Only of this kind: `:pod web`. */
  readonly kind?: string;
  /** Only in this cluster: `@edge web`. */
  readonly cluster?: string;
}

/**
 * Reads what was typed. A question and an action take the whole line; a kind and a cluster narrow what follows them, and
 * are what is looked for themselves while nothing does.
 */
export function readPaletteInput(typed: string): PaletteInput {
  const line = typed.trimStart();
  if (line.startsWith("?")) return { mode: "question", text: line.slice(1).trim() };
  if (line.startsWith(">")) return { mode: "action", text: line.slice(1).trim() };
  const words = line.split(/\s+/u);
  const narrowing = words.slice(0, -1).filter(isPrefixed);
  const rest = words.filter((word, index) => index === words.length - 1 || !isPrefixed(word));
  const last = rest.at(-1) ?? "";
  const kind = narrowing.findLast((word) => word.startsWith(":"))?.slice(1);
  const cluster = narrowing.findLast((word) => word.startsWith("@"))?.slice(1);
  const scope = {
    ...(kind === undefined || kind === "" ? {} : { kind }),
    ...(cluster === undefined || cluster === "" ? {} : { cluster }),
  };
  const mode = modes.get(last.slice(0, 1));
  if (mode !== undefined) return { mode, text: last.slice(1), ...scope };
  return { mode: "all", text: rest.join(" ").trim(), ...scope };
}

const modes: ReadonlyMap<string, PaletteInput["mode"]> = new Map([
  [":", "kind"],
  ["@", "cluster"],
  ["#", "label"],
]);

function isPrefixed(word: string): boolean {
  return word.startsWith(":") || word.startsWith("@");
}

/** What stands in the field after one has narrowed to something, before one types on. */
export function narrowedInput(typed: string, prefix: ":" | "@", name: string): string {
  const words = typed.trim().split(/\s+/u);
  const others = words.filter((word, index) => isPrefixed(word) && index < words.length - 1);
  return `${[...others.filter((word) => !word.startsWith(prefix)), `${prefix}${name}`].join(" ")} `;
}

/** How well a name fits what is looked for: the same, its beginning, that of a word in it, anywhere; undefined is not. */
export function matchRank(name: string, text: string): number | undefined {
  const [lower, wanted] = [name.toLowerCase(), text.toLowerCase()];
  if (wanted === "" || lower === wanted) return 0;
  if (lower.startsWith(wanted)) return 1;
  if (lower.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(wanted))) return 2;
  return lower.includes(wanted) ? 3 : undefined;
}

/** Those that fit, the best first; as good ones stay in their order. */
export function ranked<Item>(items: readonly Item[], text: string, nameOf: (item: Item) => string): Item[] {
  return items
    .flatMap((item) => {
      const rank = matchRank(nameOf(item), text);
      return rank === undefined ? [] : [{ item, rank }];
    })
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ item }) => item);
}

/** A question in words: `who can get secrets in shop`, `who uses secret/shop/db`. */
export interface TypedQuestion {
  readonly name: "who-can" | "what-can" | "uses" | "blast-radius" | "images" | "path";
  readonly parameters: Readonly<Record<string, string>>;
}

const patterns: readonly {
  readonly pattern: RegExp;
  readonly question: (parts: Readonly<Record<string, string>>) => TypedQuestion;
}[] = [
  {
    pattern: /^who can (?<verb>\S+) (?<resource>\S+)(?: in (?<namespace>\S+))?(?: on (?<cluster>\S+))?$/u,
    question: (parameters) => ({ name: "who-can", parameters }),
  },
  {
    pattern: /^what can (?<subject>\S+)(?: do)?(?: in (?<namespace>\S+))?(?: on (?<cluster>\S+))?$/u,
    question: (parameters) => ({ name: "what-can", parameters }),
  },
  {
    pattern: /^who uses (?<node>\S+)(?: on (?<cluster>\S+))?$/u,
    question: (parameters) => ({ name: "uses", parameters }),
  },
  {
    pattern: /^what breaks (?:if|without) (?<node>\S+)(?: goes)?(?: on (?<cluster>\S+))?$/u,
    question: (parameters) => ({ name: "blast-radius", parameters }),
  },
  {
    pattern: /^where (?:runs|does) (?<image>\S+)(?: run)?$/u,
    question: (parameters) => ({ name: "images", parameters }),
  },
  {
    pattern: /^path from (?<from>\S+) to (?<to>\S+)(?: on (?<cluster>\S+))?$/u,
    question: (parameters) => ({ name: "path", parameters }),
  },
];

/** The question that a line asks, if it is one that is understood. */
export function readQuestion(line: string): TypedQuestion | undefined {
  const text = line.trim().replace(/\s+/gu, " ").replace(/\?$/u, "");
  for (const { pattern, question } of patterns) {
    const found = pattern.exec(text)?.groups;
    if (found === undefined) continue;
    const given = Object.entries(found).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return question(Object.fromEntries(given));
  }
  return undefined;
}
