import type { Option } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import type { Suggestion } from "./complete-line.ts";
import { contextNames, kindNames, objectNames } from "./suggestion-sources.ts";

/** What the value of an option may be. */
export async function suggestOptionValues(
  option: Option,
  context: CommandContext,
): Promise<readonly Suggestion[]> {
  if (option.argChoices !== undefined) return option.argChoices.map((value) => ({ value }));
  if (option.long === "--context") return contextNames(context);
  if (option.long === "--kind") return kindNames();
  if (option.flags.includes("<USER>")) return objectNames("users", context);
  if (option.long === "--cluster") return objectNames("clusters", context);
  return /<[^>]*(?:FILE|FOLDER|PATH|DIR)[^>]*>/.test(option.flags) ? [{ value: ":files" }] : [];
}
