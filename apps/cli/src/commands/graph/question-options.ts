import type { Command } from "commander";

import {
  noHeadersOption,
  outputOption,
  parseSince,
  type OutputFormat,
} from "../../command/shared-options.ts";

/** The flags that every question has. */
export interface QuestionOptions {
  readonly cluster?: string;
  readonly at?: string;
  readonly output: OutputFormat;
  readonly headers: boolean;
}

export function addQuestionOptions(
  command: Command,
  formats: readonly OutputFormat[] = ["table", "wide", "json", "yaml", "name"],
): Command {
  return command
    .option("--cluster <NAME>", "Only in this cluster, instead of all that you may see")
    .option(
      "--at <TIME>",
      "As it was then: so long ago, as 10m or 2h, or a time in RFC 3339; now if not given",
    )
    .addOption(outputOption(formats, "table"))
    .option(...noHeadersOption);
}

export const namespaceOption: readonly [flags: string, description: string] = [
  "-n, --namespace <NAMESPACE>",
  "The namespace of what is named without one",
];

/** Which clusters are asked, about which time. */
export interface QuestionScope {
  readonly cluster: string | undefined;
  readonly at: string | undefined;
}

export function questionScope(
  { cluster, at }: Pick<QuestionOptions, "cluster" | "at">,
  nowMs: number,
): QuestionScope {
  return { cluster, at: at === undefined ? undefined : parseSince(at, nowMs) };
}
