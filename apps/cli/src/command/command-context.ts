import type { Client } from "@bowline/client";
import { BowlineError, type Clock, type Random } from "@bowline/core";
import { Option, type Command } from "commander";

import { colorChoices, type Paint, type Terminal, type ColorChoice } from "./terminal.ts";
import type { CommandSet } from "./command-set.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The context that every command is given. Nothing in it is made before somebody asks for it. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly random: Random;
  readonly environment: Environment;
  /** Aborts when Ctrl-C is pressed, or whoever reads the output is gone. */
  readonly signal: AbortSignal;
  /** Of this program. */
  readonly version: string;
  /** The commit it was made from; missing when it runs from the sources. */
  readonly revision?: string | undefined;
  readonly commandSet: CommandSet;
  /** The flags that every command takes; known once a command runs. */
  readonly globals: Partial<GlobalOptions>;
  /** Colours text for standard output; returns it as it is where there is no terminal or nobody wants colours. */
  readonly paint: Paint;
  /**
   * The server that the flags, the environment or the current context name, in this order. The same one each time; the
   * program closes it when the command has ended. `NotLoggedIn` when there is none.
   */
  readonly client: () => Promise<Client>;
}

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
