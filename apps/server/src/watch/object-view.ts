import type { Change, Log, LogPage } from "@bowline/store";
import type { ChangeEncoder } from "./change-encoder.ts";
import { eventTypeOf } from "./event-type.ts";
import type { WatchView } from "./stream/watch-view.ts";
import type { WatchRequest } from "./watch-service.ts";

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
