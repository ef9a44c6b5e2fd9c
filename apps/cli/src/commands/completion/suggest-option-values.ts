import type { Option } from "commander";

import type { CommandContext } from "../../command-context.ts";
import type { Suggestion } from "./complete-line.ts";
import { contextNames, kindNames, objectNames } from "./suggestion-sources.ts";

/** What the value of an option may be. */
export async function suggestOptionValues(
  option: Option,
  context: CommandContext,
): Promise<readonly Suggestion[]> {
  if (option.argChoices !== undefined) return option.argChoices.map((value) => ({ value }));
  switch (option.long) {
    case "--context":
      return contextNames(context);
    case "--kind":
      return kindNames();
    case "--for":
    case "--user":
      // `wait --for` takes a condition.
      return option.flags.includes("<USER>") ? objectNames("users", context) : [];
    case "--cluster":
      return objectNames("clusters", context);
    default:
      return /<[^>]*(?:FILE|FOLDER|PATH|DIR)[^>]*>/.test(option.flags) ? [{ value: ":files" }] : [];
  }
}
