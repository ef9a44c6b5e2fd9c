import type { Command } from "commander";

import { resourceUsage } from "../../resources/parse-resources.ts";
import { addSelectOptions } from "../../resources/select-options.ts";

/** What `label` and `annotate` have in common. */
export function addMetadataOptions(command: Command): Command {
  command
    .usage(`${resourceUsage} KEY=VALUE... KEY-... [FLAGS]`)
    .argument("<arguments...>", "The objects, then KEY=VALUE to set a key and KEY- to take it out");
  return addSelectOptions(command)
    .option("--all", "Change every object of the kind", false)
    .option("--overwrite", "Replace values that are there already", false)
    .option("--dry-run", "Have the server check everything and write nothing", false);
}
