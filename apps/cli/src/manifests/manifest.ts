import type { Kind } from "@bowline/api";

/** Where a manifest was read. */
export interface Origin {
  /** The file as it was named, or `standard input`. */
  readonly source: string;
  /** Which document of the file, from 1. */
  readonly document: number;
  /** Whether the file has others. */
  readonly isOnly: boolean;
}

/** An object as somebody wrote it down. */
export interface Manifest {
  readonly kind: Kind;
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly origin: Origin;
  /** The line of a field, by its path as in `spec.clusters[0]`, or of what is nearest above it. */
  readonly lineOf: (path: string) => number;
}

/** `web.yaml, document 2, line 14`, for what is wrong with that line. */
export function placeOf(origin: Origin, line?: number): string {
  const document = origin.isOnly ? "" : `, document ${origin.document}`;
  return `${origin.source}${document}${line === undefined ? "" : `, line ${line}`}`;
}
