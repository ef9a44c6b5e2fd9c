import { Readable } from "node:stream";

import type { GraphExportFormat } from "@bowline/api";
import { BowlineError, type Clock } from "@bowline/core";
import {
  cypherExport,
  dotExport,
  Graph,
  jsonExport,
  maySee,
  type Asking,
  type ExportOptions,
} from "@bowline/graph";

export interface GraphExportsOptions {
  readonly clock: Pick<Clock, "after">;
  /** Each holds a graph for as long as its reader takes. */
  readonly maxExports?: number | undefined;
  readonly maxDurationMs?: number | undefined;
}

const exporters = { cypher: cypherExport, dot: dotExport, json: jsonExport };

export const exportTypes: Readonly<Record<GraphExportFormat, string>> = {
  cypher: "text/plain; charset=utf-8",
  dot: "text/vnd.graphviz; charset=utf-8",
  json: "application/json; charset=utf-8",
};

const chunkLength = 64 * 1_024;

/** Graphs on their way to other programs, as text that is made while it is read. */
export class GraphExports {
  readonly #clock: Pick<Clock, "after">;
  readonly #maxExports: number;
  readonly #maxDurationMs: number;
  readonly #open = new Set<Readable>();

  constructor({ clock, maxExports = 4, maxDurationMs = 600_000 }: GraphExportsOptions) {
    this.#clock = clock;
    this.#maxExports = maxExports;
    this.#maxDurationMs = maxDurationMs;
  }

  /** `TooManyRequests` when too many are read already. */
  start(asking: Asking, format: GraphExportFormat, about: ExportOptions["about"]): Readable {
    if (this.#open.size >= this.#maxExports) {
      throw new BowlineError(
        "TooManyRequests",
        `${this.#maxExports} graphs are being exported, which is as many as this server does at once; try again in a moment.`,
      );
    }
    // The graph of now changes while it is read.
    const copies = [...asking.graph.entries()].map(([name, own]) => [name, own.copy()] as const);
    const frozen: Asking = { ...asking, graph: new Graph(new Map(copies)) };
    const texts = exporters[format](frozen.graph, { about, maySee: (node) => maySee(frozen, node) });
    // One chunk is made ahead: the reader decides how fast it goes.
    const stream = Readable.from(chunks(texts), { objectMode: true, highWaterMark: 1 });
    this.#open.add(stream);
    const stop = this.#clock.after(this.#maxDurationMs, () =>
      stream.destroy(new BowlineError("Timeout", "The export was read too slowly.")),
    );
    stream.once("close", () => {
      stop();
      this.#open.delete(stream);
    });
    return stream;
  }
}

function* chunks(texts: Iterable<string>): Generator<string> {
  let chunk = "";
  for (const text of texts) {
    chunk += text;
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}
