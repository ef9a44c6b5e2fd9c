import { matchesFields, type ApiObject, type changeTypes, type FieldRequirement } from "@bowline/api";
import { matchesLabels, type LabelRequirement } from "@bowline/core";
import type { Change, Log, LogPage } from "@bowline/store";

import type { WatchView } from "./watcher.ts";
import type { WatchRequest } from "./object-watch.ts";
import { serverSentEvent } from "./server-sent-event.ts";

export interface ObjectViewOptions {
  readonly wanted: Pick<WatchRequest, "kind" | "labels" | "fields">;
  readonly changes: Pick<Log<Change>, "read">;
  readonly encoder: ChangeEncoder;
}

/** The objects of one kind that match. */
export class ObjectView implements WatchView<Change> {
  readonly key: string;
  readonly #options: ObjectViewOptions;
  readonly #kind: string;

  constructor(options: ObjectViewOptions) {
    const { kind, labels, fields } = options.wanted;
    this.#options = options;
    this.#kind = kind.kind;
    this.key = JSON.stringify([
      kind.kind,
      labels,
      fields.map(({ field, operator, value }) => [field.text, operator, value]),
    ]);
  }

  eventOf(change: Change): Buffer | undefined {
    if (change.kind !== this.#kind) return undefined;
    const { wanted, encoder } = this.#options;
    const type = eventTypeOf(wanted, change);
    return type === undefined ? undefined : encoder.encode(change, type);
  }

  read(after: number, limit: number): Promise<LogPage<Change>> {
    return this.#options.changes.read({ after, kinds: [this.#kind], limit });
  }
}

/** Turns each change into bytes once, however many watchers with however many selectors are sent it. */
export class ChangeEncoder {
  readonly #encoded = new WeakMap<Change, Map<ChangeType, Buffer>>();

  encode(change: Change, type: ChangeType): Buffer {
    const known = this.#encoded.get(change) ?? new Map<ChangeType, Buffer>();
    this.#encoded.set(change, known);
    const bytes = known.get(type) ?? Buffer.from(serverSentEvent(changeJson(change, type), change.revision));
    known.set(type, bytes);
    return bytes;
  }
}

/** The data of the event: who ceases to see an object sees it as it was last, not what it became. */
export function changeJson(change: Change, type: ChangeType): string {
  const ceased = type === "DELETED" && change.type !== "DELETED";
  return objectEventJson(type, ceased ? JSON.stringify(change.previous) : change.json);
}

export function objectEventJson(type: ChangeType, objectJson: string): string {
  return `{"type":"${type}","object":${objectJson}}`;
}

export type ChangeType = (typeof changeTypes)[number];

export interface Selection {
  readonly labels: readonly LabelRequirement[];
  readonly fields: readonly FieldRequirement[];
}

/**
 * The type of a change to somebody who sees only what matches: an object that begins to match is new to them, and one
 * that ceases to is gone. Undefined when they see neither what was nor what is.
 */
export function eventTypeOf(selection: Selection, change: Change): ChangeType | undefined {
  if (selection.labels.length === 0 && selection.fields.length === 0) return change.type;
  const { previous } = change;
  const matched = previous !== undefined && matches(selection, previous);
  const doesMatch = change.type !== "DELETED" && matches(selection, change.object);
  if (doesMatch) return matched ? "MODIFIED" : "ADDED";
  return matched ? "DELETED" : undefined;
}

function matches({ labels, fields }: Selection, object: ApiObject): boolean {
  return matchesLabels(labels, object.metadata.labels) && matchesFields(fields, object);
}
