import { BowlineError } from "@bowline/core";

/** One value that a flag gives. */
export interface Assignment {
  /** Names of fields and, in lists, numbers of items. */
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  /** As it was written, for whoever got it wrong. */
  readonly text: string;
}

export interface SetOptions {
  /** A value is a text, whatever it looks like. */
  readonly asText?: boolean;
}

/**
 * Reads `a.b=1,c[0].d={x,y}` as Helm does: a dot goes into a map, a number in brackets into a list, braces make a list,
 * and a backslash takes the meaning from the next character. Whole numbers, `true`, `false` and `null` are what they
 * look like; everything else is a text. Only `{}` is another thing: an empty list here, a list of an empty text there.
 */
export function readSet(text: string, { asText = false }: SetOptions = {}): Assignment[] {
  const reader = new SetReader(text);
  const assignments: Assignment[] = [];
  const typed = asText ? (value: string): unknown => value : typedValue;
  while (!reader.isAtEnd) {
    const path = reader.readPath();
    assignments.push({ path, value: reader.readValue(typed), text });
  }
  if (assignments.length === 0) throw wrong(text, "it is empty");
  return assignments;
}

function typedValue(text: string): unknown {
  const word = text.toLowerCase();
  if (word === "true" || word === "false") return word === "true";
  if (word === "null") return null;
  return /^(?:0|-?[1-9]\d{0,14})$/u.test(text) ? Number(text) : text;
}

/** More would be a mistake. */
const mostItems = 1000;

class SetReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Up to the `=`, and beyond it. */
  readPath(): (string | number)[] {
    const path: (string | number)[] = [];
    for (;;) {
      const { part, end } = this.#readUntil(".[=,");
      const isAfterIndex = typeof path.at(-1) === "number";
      if (part !== "") path.push(part);
      else if (!isAfterIndex) throw wrong(this.#text, "it has no name before a dot, a bracket or the =");
      if (end === "=") return path;
      if (end === "[") path.push(this.#readIndex());
      else if (end !== ".")
        throw wrong(this.#text, `${part === "" ? "the last name" : part} has no value; write NAME=VALUE`);
    }
  }

  /** Up to the comma, and beyond it. */
  readValue(typed: (text: string) => unknown): unknown {
    if (this.#text[this.#at] !== "{") return typed(this.#readUntil(",").part);
    this.#at += 1;
    const items: unknown[] = [];
    for (;;) {
      const { part, end } = this.#readUntil(",}");
      if (end === undefined) throw wrong(this.#text, "a list begins with { and does not end with }");
      if (part !== "" || end === "," || items.length > 0) items.push(typed(part));
      if (end === "}") break;
    }
    if (!this.isAtEnd && this.#text[this.#at] !== ",") throw wrong(this.#text, "a comma has to follow }");
    this.#at += 1;
    return items;
  }

  #readIndex(): number {
    const { part, end } = this.#readUntil("]");
    const index = /^\d{1,4}$/u.test(part) ? Number(part) : mostItems;
    if (end === undefined || index >= mostItems)
      throw wrong(this.#text, "a number has to stand in the brackets");
    const next = this.#text[this.#at];
    if (next === ".") this.#at += 1;
    if (next !== "." && next !== "[" && next !== "=") throw wrong(this.#text, "a dot or = has to follow ]");
    return index;
  }

  /** What stands before one of the characters, and which one it was; undefined at the end. */
  #readUntil(characters: string): { readonly part: string; readonly end: string | undefined } {
    let part = "";
    while (!this.isAtEnd) {
      const character = this.#text[this.#at++] ?? "";
      if (character === "\\") part += this.#text[this.#at++] ?? "";
      else if (characters.includes(character)) return { part, end: character };
      else part += character;
    }
    return { part, end: undefined };
  }
}

function wrong(text: string, why: string): BowlineError {
  return new BowlineError(
    "InvalidArgument",
    `--set ${JSON.stringify(text.slice(0, 200))} cannot be read: ${why}.`,
  );
}
