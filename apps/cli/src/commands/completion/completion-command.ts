import { Argument, type Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import { completionScripts, type Shell } from "./completion-scripts.ts";

export function addCompletionCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("completion")
    .description(
      "Print a script that lets a shell complete commands, flags, kinds, and the names of objects on the server.",
    )
    .addArgument(new Argument("<SHELL>", "The shell").choices(Object.keys(completionScripts)))
    .action((shell: Shell) => context.terminal.out(completionScripts[shell]));
  addExamples(command, [
    { does: "Use it in this bash", run: "source <(bowline completion bash)" },
    { does: "Use it in every bash", run: "echo 'source <(bowline completion bash)' >> ~/.bashrc" },
    { does: "Use it in every zsh", run: 'bowline completion zsh > "${fpath[1]}/_bowline"' },
    {
      does: "Use it in every fish",
      run: "bowline completion fish > ~/.config/fish/completions/bowline.fish",
    },
  ]);
}
