import { EVENT_ID, parseEvents, YAMLException, type Event } from "js-yaml";

import { DocumentComposer, type Expansion, type FieldStarts, type Starts } from "./compose-document.ts";
import { isJsonList, isJsonObject, type JsonValue } from "./json.ts";
import { maxExpandedLength, maxManifestBytes, maxManifestDepth } from "./limits.ts";
import { ProblemList, type ManifestLimit, type ManifestProblem } from "./problem.ts";

/** How much of one text is read; whoever has the text knows what it may cost. */
export interface TextLimits {
  /** In UTF-8. */
  readonly maxBytes: number;
  /** Characters, once aliases and merges are written out. */
  readonly maxExpandedLength: number;
}

export const manifestLimits: TextLimits = { maxBytes: maxManifestBytes, maxExpandedLength };

export interface ReadDocument {
  /** From 1, as problems count them. */
  readonly number: number;
  readonly value: JsonValue;
  /** The line on which the document, or an object in it, begins. */
  readonly lineOf: (item: JsonValue) => number;
  /** The lines of its fields by their paths; none, unless they were asked for. */
  readonly fieldLines: () => Readonly<Record<string, number>>;
}

export interface ParsedYaml {
  /** Those that can be read, even where others cannot. */
  readonly documents: readonly JsonValue[];
  readonly problems: readonly ManifestProblem[];
}

/** Reads the documents of a text in YAML that need not be Kubernetes objects, by the same rules. Never throws. */
export function parseYaml(text: string, limits: TextLimits = manifestLimits): ParsedYaml {
  const problems = new ProblemList();
  const documents = Array.from(new DocumentReader(text, problems, limits).read(), ({ value }) => value);
  return { documents, problems: problems.problems };
}

export interface LocatedDocuments {
  /** With the number and the line of each. */
  readonly documents: readonly {
    readonly document: number;
    readonly line: number;
    readonly value: JsonValue;
    /** The line of each field by its path, as `spec.waves[0].count`. */
    readonly fields: Readonly<Record<string, number>>;
  }[];
  readonly problems: readonly ManifestProblem[];
}

/** The same with the place of each document; empty ones are left out, and lists stand for their items. Never throws. */
export function locateDocuments(text: string, limits: TextLimits): LocatedDocuments {
  const problems = new ProblemList();
  const reader = new DocumentReader(text, problems, limits, { notesFields: true });
  const documents = [...reader.read()].flatMap(({ number: document, value: whole, lineOf, fieldLines }) => {
    const lines = fieldLines();
    return itemsIn(whole).map((value, at) => {
      const fields = value === whole ? lines : linesBelow(`items[${at}].`, lines);
      return { document, line: lineOf(value), value, fields };
    });
  });
  return { documents, problems: problems.problems };
}

function linesBelow(prefix: string, lines: Readonly<Record<string, number>>): Record<string, number> {
  const below = Object.entries(lines).filter(([path]) => path.startsWith(prefix));
  return Object.fromEntries(below.map(([path, line]) => [path.slice(prefix.length), line]));
}

function itemsIn(value: JsonValue): readonly JsonValue[] {
  if (value === null) return [];
  if (!isJsonObject(value) || typeof value["kind"] !== "string" || !value["kind"].endsWith("List"))
    return [value];
  return isJsonList(value["items"]) ? value["items"] : [value];
}

/** Reads the documents of a text one after the other, and notes what is wrong with the text. */
export class DocumentReader {
  readonly #text: string;
  readonly #problems: ProblemList;
  readonly #limits: TextLimits;
  readonly #expansion: Expansion;
  readonly #lineStarts: LineStarts;
  readonly #notesFields: boolean;
  #document = 0;

  constructor(text: string, problems: ProblemList, limits: TextLimits, { notesFields = false } = {}) {
    this.#notesFields = notesFields;
    this.#text = text;
    this.#problems = problems;
    this.#limits = limits;
    this.#expansion = { max: limits.maxExpandedLength, length: 0, isReported: false };
    this.#lineStarts = new LineStarts(text);
  }

  *read(): Generator<ReadDocument> {
    const { maxBytes } = this.#limits;
    if (isLongerThan(this.#text, maxBytes)) {
      this.#problems.add({ message: `the text is longer than ${maxBytes} bytes in UTF-8`, limit: "bytes" });
      return;
    }
    for (const { start, end } of partsOf(this.#text)) {
      if (this.#problems.isFull) return;
      yield* this.#readPart(start, end);
    }
  }

  /** Reads what stands between two separators. A problem in it leaves the other parts readable. */
  *#readPart(start: number, end: number): Generator<ReadDocument> {
    const part = this.#text.slice(start, end);
    const events = this.#eventsOf(part, start);
    for (const [index, event] of events.entries()) {
      if (event.type !== EVENT_ID.DOCUMENT) continue;
      this.#document++;
      const starts: Starts = new Map();
      const fields: FieldStarts = new Map();
      const before = this.#problems.problems.length;
      const value = new DocumentComposer(events, index + 1, {
        text: part,
        expansion: this.#expansion,
        starts,
        fields: this.#notesFields ? fields : undefined,
        report: (offset, message, limit) => this.#report(start + offset, message, limit),
      }).compose();
      // Values that could not be read are missing now, and more problems about that would only confuse.
      if (this.#problems.problems.length > before) continue;
      const lineOf = (item: JsonValue): number =>
        this.#lineStarts.lineOf(start + (starts.get(item) ?? starts.get(value) ?? 0));
      const fieldLines = (): Record<string, number> =>
        Object.fromEntries(
          Array.from(fields, ([path, offset]) => [path, this.#lineStarts.lineOf(start + offset)]),
        );
      yield { number: this.#document, value, lineOf, fieldLines };
    }
  }

  #eventsOf(part: string, start: number): Event[] {
    try {
      return parseEvents(part, { maxDepth: maxManifestDepth });
    } catch (thrown) {
      this.#document++;
      const { reason, offset, limit } = readException(thrown);
      this.#report(start + offset, reason, limit);
      return [];
    }
  }

  #report(offset: number, message: string, limit?: ManifestLimit): void {
    const line = this.#lineStarts.lineOf(offset);
    this.#problems.add({
      document: this.#document,
      line,
      message,
      ...(limit === undefined ? {} : { limit }),
    });
  }
}

/** Separators of documents. A line that begins with three dashes is one wherever it stands: YAML allows it in no value. */
const separator = /(?<=^|[\r\n])---(?=[ \t\r\n]|$)/g;

/** The parts between separators, each beginning with the one before it. */
function partsOf(text: string): { readonly start: number; readonly end: number }[] {
  const starts = [
    0,
    ...Array.from(text.matchAll(separator), ({ index }) => index).filter((index) => index > 0),
  ];
  return starts.map((start, index) => ({ start, end: starts[index + 1] ?? text.length }));
}

/** The parser repeats names of tags and anchors, which can be of any length. */
const longestReason = 200;

interface Refusal {
  readonly reason: string;
  readonly offset: number;
  readonly limit?: ManifestLimit;
}

function readException(thrown: unknown): Refusal {
  if (!(thrown instanceof YAMLException)) return { reason: "this cannot be read as YAML", offset: 0 };
  const offset = thrown.mark?.position ?? 0;
  if (thrown.reason.includes("maxDepth")) {
    return { reason: `this is more than ${maxManifestDepth} levels deep`, offset, limit: "depth" };
  }
  if (thrown.reason.includes("directive")) {
    return { reason: "directives such as %YAML and %TAG are not allowed; remove the line", offset: 0 };
  }
  return { reason: `this is not YAML: ${thrown.reason.slice(0, longestReason)}`, offset };
}

/** Whether a text is longer than so many bytes. A UTF-16 unit becomes three bytes at most, so most need no counting. */
function isLongerThan(text: string, bytes: number): boolean {
  if (text.length * 3 <= bytes) return false;
  return text.length > bytes || new TextEncoder().encode(text).length > bytes;
}

/** Offsets at which lines begin, found when the first is asked for. */
class LineStarts {
  readonly #text: string;
  #starts: readonly number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** The line of an offset, from 1. */
  lineOf(offset: number): number {
    this.#starts ??= lineStarts(this.#text);
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  }
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
