import { Option } from "commander";

/** How objects are printed. */
export type OutputFormat = "table" | "wide" | "json" | "yaml" | "name";

export interface OutputOptions {
  readonly output: OutputFormat;
  /** `false` for `--no-headers`. */
  readonly headers: boolean;
  readonly showLabels: boolean;
}

/** Commands that say a line for each object unless told otherwise have no initial format. */
export function outputOption(formats: readonly OutputFormat[], initial?: OutputFormat): Option {
  return new Option("-o, --output <FORMAT>", "How to print it").choices(formats).default(initial);
}

export const noHeadersOption: readonly [flags: string, description: string] = [
  "--no-headers",
  "Leave out the line with the names of the columns",
];
