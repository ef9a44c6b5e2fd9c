import type { Change } from "@bowline/store";
import type { ChangeType } from "./event-type.ts";
import { serverSentEvent } from "./stream/server-sent-event.ts";

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
