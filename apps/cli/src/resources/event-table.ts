import { findKind, formatAge, type EventRecord } from "@bowline/api";

import { TableWriter } from "../output/table-writer.ts";
import { printableLine } from "../output/terminal-text.ts";
import type { Paint } from "../command/terminal.ts";

interface EventColumn {
  readonly header: string;
  readonly cell: keyof EventRow;
  readonly wide?: boolean;
}

const columns: readonly EventColumn[] = [
  { header: "LAST-SEEN", cell: "lastSeen" },
  { header: "FIRST-SEEN", cell: "firstSeen", wide: true },
  { header: "COUNT", cell: "count" },
  { header: "TYPE", cell: "type" },
  { header: "REASON", cell: "reason" },
  { header: "OBJECT", cell: "object" },
  { header: "CLUSTER", cell: "cluster", wide: true },
  { header: "SOURCE", cell: "source", wide: true },
  { header: "MESSAGE", cell: "message" },
];

interface EventTableOptions {
  readonly wide: boolean;
  readonly noHeaders: boolean;
  readonly paint: Paint;
  /** All of them happened to one object, which is named elsewhere. */
  readonly withoutObject?: boolean;
}

/** A table of events, to which rows can be added. */
export class EventTable {
  readonly #columns: readonly EventColumn[];
  readonly #table: TableWriter;

  constructor({ wide, noHeaders, paint, withoutObject = false }: EventTableOptions) {
    this.#columns = columns.filter(
      (column) => (wide || column.wide !== true) && !(withoutObject && column.cell === "object"),
    );
    this.#table = new TableWriter(
      this.#columns.map(({ header }) => header),
      {
        noHeaders,
        style: (cell, index) =>
          this.#columns[index]?.cell === "type" && cell === "Warning" ? paint("yellow", cell) : cell,
      },
    );
  }

  rows(events: readonly EventRecord[], nowMs: number): string {
    return this.#table.rows(
      events.map((event) => {
        const row = eventRow(event, nowMs);
        return this.#columns.map(({ cell }) => row[cell]);
      }),
    );
  }
}

/** The cells of an event, printable. */
interface EventRow {
  readonly lastSeen: string;
  readonly firstSeen: string;
  readonly type: string;
  readonly reason: string;
  readonly object: string;
  readonly cluster: string;
  readonly source: string;
  readonly count: string;
  readonly message: string;
}

function eventRow(event: EventRecord, nowMs: number): EventRow {
  const { regarding } = event;
  const kind = findKind(regarding.kind)?.singular ?? regarding.kind.toLowerCase();
  return {
    lastSeen: ageOf(event.lastSeenAt, nowMs),
    firstSeen: ageOf(event.firstSeenAt, nowMs),
    type: printableLine(event.type),
    reason: printableLine(event.reason),
    object: printableLine(`${kind}/${regarding.name}`),
    cluster: printableLine(regarding.cluster ?? "<none>"),
    source: printableLine(event.source),
    count: String(event.count),
    message: printableLine(event.message),
  };
}

function ageOf(time: string, nowMs: number): string {
  return formatAge(nowMs - Date.parse(time));
}
