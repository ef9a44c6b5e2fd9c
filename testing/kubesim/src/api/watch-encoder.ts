import type { SimEvent, SimObject } from "../store/sim-api.ts";
import type { Selection } from "./list-options.ts";
import type { Representation } from "./representation.ts";

/** One watched change as a client with a selector sees it. */
export interface SeenEvent {
  readonly type: SimEvent["type"];
  readonly object: SimObject;
}

/**
 * An object that begins to match appears, one that ceases to match disappears; the disappearance shows its last
 * matching state with the revision of the change.
 */
export function seenThrough(selection: Selection, event: SimEvent): SeenEvent | undefined {
  if (selection.empty) return event;
  const before = event.previous !== undefined && selection.matches(event.previous);
  if (event.type === "DELETED") return before ? event : undefined;
  const after = selection.matches(event.object);
  if (after) return { type: before ? "MODIFIED" : "ADDED", object: event.object };
  return before && event.previous
    ? { type: "DELETED", object: atRevision(event.previous, event.revision) }
    : undefined;
}

/**
 * Turns events into lines. All watchers of a change are told one after the other, so remembering the lines of the
 * latest change is enough for them to share one serialization per form.
 */
export class WatchEncoder {
  #latest: SimEvent | undefined;
  readonly #lines = new Map<string, Buffer>();

  line(event: SimEvent, seen: SeenEvent, form: Representation): Buffer {
    if (this.#latest !== event) {
      this.#latest = event;
      this.#lines.clear();
    }
    const key = `${seen.type} ${form.key}`;
    let line = this.#lines.get(key);
    if (!line) {
      line = encodeLine(seen.type, form.object(seen.object));
      this.#lines.set(key, line);
    }
    return line;
  }
}

export function encodeLine(type: string, object: unknown): Buffer {
  return Buffer.from(`{"type":"${type}","object":${JSON.stringify(object)}}\n`);
}

function atRevision(object: SimObject, revision: number): SimObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}
