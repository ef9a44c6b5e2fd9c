import { formatPath, type PathPart } from "@bowline/core";
import {
  EVENT_ID,
  getScalarValue,
  SCALAR_STYLE,
  type AliasEvent,
  type Event,
  type MappingEvent,
  type ScalarEvent,
  type SequenceEvent,
} from "js-yaml";

import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import { maxManifestDepth } from "./limits.ts";
import type { ManifestLimit } from "./problem.ts";
import { refusedTag, resolvePlain, resolveTagged, tagName } from "./scalar.ts";

/** What an anchor stands for. Its size and height count again wherever an alias repeats it. */
interface Anchored {
  readonly value: JsonValue;
  readonly size: number;
  readonly height: number;
}

/** Reports a problem at an offset of the text. */
type ReportAt = (offset: number, message: string, limit?: ManifestLimit) => void;

/** How many characters have been composed so far, over all documents of a text, and how many may be. */
export interface Expansion {
  readonly max: number;
  length: number;
  isReported: boolean;
}

/** Where mappings of the upper levels begin: the document itself, and the items of a list. */
export type Starts = Map<JsonValue, number>;

/** Where the fields of a document begin, by their paths. */
export type FieldStarts = Map<string, number>;

/** Of one document; what lies behind them has the place of what it is in. */
const maxFields = 5_000;

interface ComposeOptions {
  readonly text: string;
  readonly report: ReportAt;
  readonly expansion: Expansion;
  readonly starts: Starts;
  /** Filled where somebody wants to know; what an alias repeats is not in it. */
  readonly fields?: FieldStarts | undefined;
}

/** The deepest level at which an object may begin: as an item of the items of a document. */
const deepestStart = 3;

/** Makes JSON of the events of one document, and goes on after each problem so that all of them are found. */
export class DocumentComposer {
  readonly #events: readonly Event[];
  readonly #options: ComposeOptions;
  readonly #anchors = new Map<string, Anchored | "open">();
  #index: number;
  #depth = 0;
  /** Of the value that is composed; kept only where places of fields are wanted. */
  readonly #path: PathPart[] = [];
  /** The height of the value that was composed last: 0 for a scalar. */
  #height = 0;

  /** Begins behind the event that opens the document. */
  constructor(events: readonly Event[], index: number, options: ComposeOptions) {
    this.#events = events;
    this.#index = index;
    this.#options = options;
  }

  compose(): JsonValue {
    const event = this.#events[this.#index++];
    if (event === undefined) return null;
    this.#height = 0;
    this.#options.expansion.length++;
    if (event.type === EVENT_ID.ALIAS) return this.#alias(event);
    return "anchorStart" in event && event.anchorStart >= 0 ? this.#anchored(event) : this.#node(event);
  }

  #node(event: Event): JsonValue {
    switch (event.type) {
      case EVENT_ID.SCALAR:
        return this.#scalar(event);
      case EVENT_ID.SEQUENCE:
        return this.#sequence(event);
      case EVENT_ID.MAPPING:
        return this.#mapping(event);
      case EVENT_ID.ALIAS:
      case EVENT_ID.DOCUMENT:
      case EVENT_ID.POP:
      default:
        return null;
    }
  }

  #anchored(event: ScalarEvent | SequenceEvent | MappingEvent): JsonValue {
    const { text, expansion } = this.#options;
    const name = text.slice(event.anchorStart, event.anchorEnd);
    this.#anchors.set(name, "open");
    const before = expansion.length;
    const value = this.#node(event);
    this.#anchors.set(name, { value, size: expansion.length - before, height: this.#height });
    return value;
  }

  #alias(event: AliasEvent): JsonValue {
    const { text, report } = this.#options;
    const name = text.slice(event.anchorStart, event.anchorEnd);
    const anchor = this.#anchors.get(name);
    if (anchor === undefined) {
      report(event.anchorStart, `the alias ${formatPath([name])} has no anchor before it`);
      return null;
    }
    if (anchor === "open") {
      report(event.anchorStart, `the alias ${formatPath([name])} stands for something that contains it`);
      return null;
    }
    if (this.#depth + anchor.height > maxManifestDepth) {
      report(
        event.anchorStart,
        `with its aliases, this is more than ${maxManifestDepth} levels deep`,
        "depth",
      );
      return null;
    }
    // An empty object does no harm where a mapping is merged; the document is given up anyway.
    if (!this.#grow(anchor.size, event.anchorStart)) return {};
    this.#height = anchor.height;
    return anchor.value;
  }

  /** Whether there is room for so much more. */
  #grow(size: number, offset: number): boolean {
    const { expansion, report } = this.#options;
    if (expansion.length + size <= expansion.max) {
      expansion.length += size;
      return true;
    }
    if (!expansion.isReported) {
      report(
        offset,
        `with its aliases, the text becomes longer than ${expansion.max} characters`,
        "expansion",
      );
    }
    expansion.isReported = true;
    return false;
  }

  #scalar(event: ScalarEvent): JsonValue {
    const { text, report, expansion } = this.#options;
    const source = getScalarValue(text, event);
    expansion.length += source.length;
    const resolved = this.#resolve(event, source);
    if (typeof resolved !== "object" || resolved === null) return resolved;
    report(offsetOf(event), resolved.refused);
    return null;
  }

  #resolve(event: ScalarEvent, source: string): ReturnType<typeof resolvePlain> {
    if (event.tagStart >= 0) {
      return resolveTagged(this.#options.text.slice(event.tagStart, event.tagEnd), source);
    }
    return event.style === SCALAR_STYLE.PLAIN ? resolvePlain(source) : source;
  }

  #sequence(event: SequenceEvent): JsonValue {
    this.#checkTag(event, "seq");
    const items: JsonValue[] = [];
    let height = 0;
    this.#depth++;
    while (!this.#atEnd()) {
      items.push(this.#inside(items.length, offsetOf(this.#events[this.#index])));
      height = Math.max(height, this.#height);
    }
    this.#depth--;
    this.#height = height + 1;
    return items;
  }

  #mapping(event: MappingEvent): JsonValue {
    this.#checkTag(event, "map");
    const fields: Record<string, JsonValue> = {};
    const merged: JsonObject[] = [];
    let height = 0;
    this.#depth++;
    while (!this.#atEnd()) {
      const offset = offsetOf(this.#events[this.#index]);
      const key = this.#key();
      const value = typeof key === "string" ? this.#inside(key, offset) : this.compose();
      height = Math.max(height, this.#height);
      if (key === mergeKey) this.#addSources(merged, value, offset);
      else if (key !== undefined) this.#addField(fields, key, value, offset);
    }
    this.#depth--;
    this.#height = height + 1;
    addMissing(fields, merged);
    if (this.#depth < deepestStart) this.#options.starts.set(fields, event.start);
    return fields;
  }

  /** The value of a field or of an item, whose place is noted. */
  #inside(part: PathPart, offset: number): JsonValue {
    const { fields } = this.#options;
    if (fields === undefined) return this.compose();
    this.#path.push(part);
    const path = formatPath(this.#path);
    if (fields.size < maxFields && !fields.has(path)) fields.set(path, offset);
    const value = this.compose();
    this.#path.pop();
    return value;
  }

  #atEnd(): boolean {
    const event = this.#events[this.#index];
    if (event !== undefined && event.type !== EVENT_ID.POP) return false;
    this.#index++;
    return true;
  }

  #addField(fields: Record<string, JsonValue>, key: string, value: JsonValue, offset: number): void {
    if (Object.hasOwn(fields, key))
      this.#options.report(offset, `the key ${formatPath([key])} is written twice`);
    else fields[key] = value;
  }

  /** The key that comes next; undefined after a problem. */
  #key(): string | typeof mergeKey | undefined {
    const event = this.#events[this.#index];
    const { text, report } = this.#options;
    const offset = offsetOf(event);
    if (event?.type !== EVENT_ID.SCALAR) {
      const key = this.compose();
      if (typeof key === "string") return this.#checkedKey(key, offset);
      report(offset, "a key must be text");
      return undefined;
    }
    const source = getScalarValue(text, event);
    if (event.style === SCALAR_STYLE.PLAIN && event.tagStart < 0) {
      if (source === "<<") {
        this.#index++;
        return mergeKey;
      }
      if (!isReadAsItself(source)) {
        this.#index++;
        report(offset, `the key ${formatPath([source])} would be read as something else than text; quote it`);
        return undefined;
      }
    }
    const key = this.compose();
    return this.#checkedKey(typeof key === "string" ? key : source, offset);
  }

  #checkedKey(key: string, offset: number): string | undefined {
    if (key !== "__proto__") return key;
    this.#options.report(offset, "the key __proto__ is not allowed");
    return undefined;
  }

  /** Notes the objects whose fields `<<` takes over: one, or a list of them. */
  #addSources(merged: JsonObject[], value: JsonValue, offset: number): void {
    for (const source of isJsonList(value) ? value : [value]) {
      if (isJsonObject(source)) merged.push(source);
      else this.#options.report(offset, "<< takes an object or a list of objects");
    }
  }

  #checkTag(event: SequenceEvent | MappingEvent, expected: "map" | "seq"): void {
    if (event.tagStart < 0) return;
    const { text, report } = this.#options;
    const tag = text.slice(event.tagStart, event.tagEnd);
    if (tag !== "!" && tagName(tag) !== expected) report(event.tagStart, refusedTag);
  }
}

const mergeKey = Symbol("<<");

/** Whether a key without quotes is text, or a number or boolean that is printed as it was written: `8080`, not `0x10`. */
function isReadAsItself(source: string): boolean {
  const resolved = resolvePlain(source);
  return typeof resolved !== "object" && String(resolved) === source;
}

/** Takes over the fields that are not there yet, from the first object that has them. */
function addMissing(fields: Record<string, JsonValue>, merged: readonly JsonObject[]): void {
  for (const source of merged) {
    for (const [key, value] of Object.entries(source)) if (!Object.hasOwn(fields, key)) fields[key] = value;
  }
}

function offsetOf(event: Event | undefined): number {
  if (event === undefined) return 0;
  if ("valueStart" in event) return Math.max(event.valueStart, 0);
  if ("start" in event) return event.start;
  return "anchorStart" in event ? event.anchorStart : 0;
}
