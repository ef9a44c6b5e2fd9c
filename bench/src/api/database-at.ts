import type { DatabaseOptions } from "@bowline/store";

/** The database at a URL or in a file. */
export function databaseAt(place: string): DatabaseOptions {
  return place.startsWith("postgres:") ? { type: "postgres", url: place } : { type: "sqlite", file: place };
}
