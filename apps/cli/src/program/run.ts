import type { Client } from "@bowline/client";
import type { Clock, Random } from "@bowline/core";
import { CommanderError } from "commander";

import type { CommandContext, Environment, GlobalOptions } from "../command/command-context.ts";
import type { CommandSet } from "../command/command-set.ts";
import { createPaint, type Terminal } from "../command/terminal.ts";
import { createProgram } from "./program.ts";
import { reportFailure } from "./report-failure.ts";

/** The surroundings of the program: those of the process, or of a test. */
export interface Host {
  readonly version: string;
  readonly revision?: string | undefined;
  readonly commandSet: CommandSet;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly random: Random;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

/** Runs one command line and gives its exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted. */
export async function run(args: readonly string[], host: Host): Promise<number> {
  const globals: { current: Partial<GlobalOptions> } = { current: {} };
  const { context, close } = createContext(host, globals);
  try {
    const program = await createProgram(args, context);
    program.hook("preSubcommand", () => void (globals.current = program.opts()));
    await program.parseAsync([...args], { from: "user" });
    return 0;
  } catch (thrown) {
    // Help and version end the parsing by throwing; everything that is wrong with a command line is a BowlineError.
    if (thrown instanceof CommanderError) return 0;
    return reportFailure(thrown, {
      ...host,
      verbose: globals.current.verbose ?? args.some((arg) => arg === "-v" || arg === "--verbose"),
    });
  } finally {
    await close();
  }
}

function createContext(
  host: Host,
  globals: { readonly current: Partial<GlobalOptions> },
): { readonly context: CommandContext; readonly close: () => Promise<void> } {
  let client: Promise<Client> | undefined;
  const { terminal, environment } = host;
  const context: CommandContext = {
    ...host,
    get globals() {
      return globals.current;
    },
    get paint() {
      return createPaint({ choice: globals.current.color ?? "auto", isTty: terminal.isTty, environment });
    },
    client: () => (client ??= connect(context)),
  };
  const close = async (): Promise<void> => {
    // One that could not be made has nothing to close, and whoever asked for it knows why.
    const made = await client?.catch(() => undefined);
    await made?.close();
  };
  return { context, close };
}

async function connect(context: CommandContext): Promise<Client> {
  const { connectToServer } = await import("../connection/connect-to-server.ts");
  return connectToServer(context);
}
