import { Option, type Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import type { Manifest } from "./manifest.ts";

export interface ManifestOptions {
  readonly filename?: readonly string[];
  readonly recursive: boolean;
}

/** Commands that have no other way to name objects must have files. */
export function addManifestOptions(
  command: Command,
  { mandatory }: { readonly mandatory: boolean },
): Command {
  const filename = new Option(
    "-f, --filename <FILE>",
    "A file or a folder of YAML or JSON, or - for standard input; may be given several times",
  )
    .argParser((file: string, before: readonly string[] | undefined) => [...(before ?? []), file])
    .makeOptionMandatory(mandatory);
  return command
    .addOption(filename)
    .option("-R, --recursive", "Look into the folders of a folder as well", false);
}

/** The objects in the files that were named. */
export async function manifestsFrom(context: CommandContext, options: ManifestOptions): Promise<Manifest[]> {
  const { readManifests } = await import("./read-manifests.ts");
  return readManifests(options.filename ?? [], {
    recursive: options.recursive,
    readStdin: context.terminal.readStdin,
    signal: context.signal,
  });
}
