import { BowlineError } from "@bowline/core";
import { Command, type ErrorOptions } from "commander";

/** A command whose usage errors are a `BowlineError`, so that there is one way to report whatever went wrong. */
export class ProgramCommand extends Command {
  constructor(name?: string) {
    super(name);
    // Each command would get a `help` of its own; the program has one for all of them.
    this.helpCommand(false);
  }

  override createCommand(name?: string): Command {
    return new ProgramCommand(name);
  }

  override error(message: string, options: ErrorOptions = {}): never {
    const reason = options.code ?? "commander.error";
    const sentence = `${usageSentence(message)}${reason === "commander.unknownOption" ? this.#passingOn() : ""}`;
    throw new BowlineError("InvalidArgument", sentence, {
      details: { usage: `${commandPath(this)} --help`, reason },
    });
  }

  /** Whoever writes `bowline kubectl NAME get pods -A` has only forgotten something. */
  #passingOn(): string {
    const usage = this.usage();
    return usage.includes(" -- ") ? ` What is passed on comes after --: ${commandPath(this)} ${usage}` : "";
  }
}

/** `bowline token create` */
export function commandPath(command: Command): string {
  return command.parent === null ? command.name() : `${commandPath(command.parent)} ${command.name()}`;
}

/** Commander's message in the form of all our errors: one sentence, names in double quotes, then the suggestion. */
function usageSentence(message: string): string {
  const [problem = "", suggestion = ""] = message.replace(/^error: /, "").split("\n(");
  const sentence = problem.replaceAll("'", '"').replace(/\.?$/, ".");
  const meant = suggestion
    .replace(/\)$/, "")
    .replace(/^Did you mean (?!one of )(\S+)\?/, 'Did you mean "$1"?');
  return meant === "" ? sentence : `${sentence} ${meant}`;
}
