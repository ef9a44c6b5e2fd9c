import { Command, CommanderError } from "commander";

import { welcome } from "./welcome.ts";

export interface Terminal {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
}

/** Runs one command line and gives its exit code: 0 done, 2 wrong usage. */
export async function run(args: readonly string[], version: string, terminal: Terminal): Promise<number> {
  const program = new Command("bowline")
    .description("One control plane for all your Kubernetes clusters")
    .version(version, "-V, --version", "Print the version")
    .helpOption("-h, --help", "Show help")
    .addHelpText("after", "\nExamples:\n  # Say what this is and how to go on\n  bowline")
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError("Run 'bowline --help' for usage.")
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.error })
    .allowExcessArguments(false)
    .action(() => {
      terminal.out(welcome(version));
    });
  try {
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : 2;
    throw thrown;
  }
}
