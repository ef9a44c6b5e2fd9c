import { EVENT_ID, parseEvents, YAMLException, type Event } from "js-yaml";

import { DocumentComposer, type Expansion, type Starts } from "./compose-document.ts";
import { isJsonList, isJsonObject, type JsonValue } from "./json.ts";
import { maxManifestBytes, maxManifestDepth, maxManifestObjects } from "./limits.ts";
import {
  objectKeyText,
  objectLabel,
  readObject,
  type ManifestObject,
  type ReadObject,
} from "./manifest-object.ts";
import { ProblemList, type ManifestProblem } from "./problem.ts";

export interface ParsedManifests {
  /** In the order of the text; those that can be used, even where others cannot. */
  readonly objects: readonly ManifestObject[];
  /** Everything that is wrong; what is applied is a text without problems only. */
  readonly problems: readonly ManifestProblem[];
}

/**
 * Reads the Kubernetes objects of a text in YAML (or JSON, which is YAML), as kubectl would: several documents, lists as
 * their items, empty documents left out. Never throws.
 */
export function parseManifests(text: string): ParsedManifests {
  return new ManifestParser(text).parse();
}

class ManifestParser {
  readonly #text: string;
  readonly #problems = new ProblemList();
  readonly #objects: ManifestObject[] = [];
  /** The line of each object, by its key. */
  readonly #lines = new Map<string, number>();
  readonly #expansion: Expansion = { length: 0, isReported: false };
  readonly #lineStarts: LineStarts;
  #document = 0;
  #count = 0;

  constructor(text: string) {
    this.#text = text;
    this.#lineStarts = new LineStarts(text);
  }

  parse(): ParsedManifests {
    if (isLongerThan(this.#text, maxManifestBytes)) {
      this.#problems.add({ message: `the text is longer than ${maxManifestBytes} bytes in UTF-8` });
    } else {
      for (const { start, end } of partsOf(this.#text)) {
        if (this.#problems.isFull) break;
        this.#readPart(start, end);
      }
      if (this.#count > maxManifestObjects) {
        this.#problems.add({
          message: `these are ${this.#count} objects; at most ${maxManifestObjects} can be in one definition`,
        });
      }
    }
    return { objects: this.#objects, problems: this.#problems.problems };
  }

  /** Reads what stands between two separators. A problem in it leaves the other parts readable. */
  #readPart(start: number, end: number): void {
    const part = this.#text.slice(start, end);
    const events = this.#eventsOf(part, start);
    for (const [index, event] of events.entries()) {
      if (event.type !== EVENT_ID.DOCUMENT) continue;
      this.#document++;
      const starts: Starts = new Map();
      const before = this.#problems.problems.length;
      const value = new DocumentComposer(events, index + 1, {
        text: part,
        expansion: this.#expansion,
        starts,
        report: (offset, message) => this.#report(start + offset, message),
      }).compose();
      // Values that could not be read are missing now, and more problems about that would only confuse.
      if (this.#problems.problems.length > before) continue;
      this.#readValue(value, (item) => start + (starts.get(item) ?? starts.get(value) ?? 0));
    }
  }

  #eventsOf(part: string, start: number): Event[] {
    try {
      return parseEvents(part, { maxDepth: maxManifestDepth });
    } catch (thrown) {
      this.#document++;
      const { reason, offset } = readException(thrown);
      this.#report(start + offset, reason);
      return [];
    }
  }

  #readValue(value: JsonValue, offsetOf: (item: JsonValue) => number): void {
    if (value === null) return;
    const items = itemsOf(value);
    if (items !== undefined) {
      for (const item of items) this.#readValue(item, offsetOf);
      return;
    }
    const line = this.#lineStarts.lineOf(offsetOf(value));
    this.#count++;
    if (this.#count > maxManifestObjects) return;
    const read: ReadObject = isList(value)
      ? { ok: false, problems: ["a List needs a list of items"] }
      : readObject(value);
    if (!read.ok) {
      for (const message of read.problems) this.#add({ line, object: objectLabel(value), message });
      return;
    }
    const { object } = read;
    const key = objectKeyText(object);
    const other = this.#lines.get(key);
    if (other === undefined) {
      this.#lines.set(key, line);
      this.#objects.push(object);
    } else {
      this.#add({
        line,
        object: objectLabel(object),
        message: `the same object is on line ${other} already`,
      });
    }
  }

  #report(offset: number, message: string): void {
    this.#add({ line: this.#lineStarts.lineOf(offset), message });
  }

  #add(problem: ManifestProblem): void {
    this.#problems.add({ document: this.#document, ...problem });
  }
}

/** The items of a list, as `kubectl get -o yaml` prints several objects; undefined for what is none. */
function itemsOf(value: JsonValue): readonly JsonValue[] | undefined {
  if (!isJsonObject(value)) return undefined;
  const { kind, items } = value;
  if (typeof kind !== "string" || !kind.endsWith("List")) return undefined;
  if (isJsonList(items)) return items;
  return kind === "List" && items === null ? [] : undefined;
}

/** A list of any kinds whose items are missing or no list. */
function isList(value: JsonValue): boolean {
  return isJsonObject(value) && value["kind"] === "List" && value["apiVersion"] === "v1";
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

function readException(thrown: unknown): { readonly reason: string; readonly offset: number } {
  if (!(thrown instanceof YAMLException)) return { reason: "this cannot be read as YAML", offset: 0 };
  const offset = thrown.mark?.position ?? 0;
  if (thrown.reason.includes("maxDepth")) {
    return { reason: `this is more than ${maxManifestDepth} levels deep`, offset };
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
