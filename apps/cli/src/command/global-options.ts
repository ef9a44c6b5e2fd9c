import { BowlineError } from "@bowline/core";
import { Option, type Command } from "commander";

import { colorChoices, type ColorChoice } from "./terminal.ts";

/** The flags that every command takes. */
export interface GlobalOptions {
  readonly context?: string;
  readonly server?: string;
  readonly tokenFile?: string;
  readonly caFile?: string;
  readonly color: ColorChoice;
  readonly verbose: boolean;
}

export function addGlobalOptions(program: Command): Command {
  return program
    .option("--context <NAME>", "Use this context instead of the current one")
    .option("--server <URL>", "Talk to this server instead of the context's")
    .option("--token-file <FILE>", "Sign in with the token in this file")
    .option("--ca-file <FILE>", "Trust the certificate authorities in this PEM file, and no others")
    .addOption(new Option("--color <WHEN>", "When to use colours").choices(colorChoices).default("auto"))
    .option("-v, --verbose", "Say more when something goes wrong", false)
    .addOption(new Option("--token <TOKEN>").hideHelp().argParser(refuseToken));
}

/** Other users of the machine can read command lines, and shells keep them. */
function refuseToken(): never {
  throw new BowlineError(
    "InvalidArgument",
    "A token is not taken from the command line, where others can read it; put it in a file and use --token-file, or set BOWLINE_TOKEN.",
  );
}
