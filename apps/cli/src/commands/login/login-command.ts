import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import type { LoginOptions } from "./login.ts";

export function addLoginCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("login")
    .description(
      "Sign in to a server and remember it as a context.\n\nThe token is checked before anything is saved. It comes from --token-file, which is then remembered by its path; from standard input; or from a question that does not show what is typed.",
    )
    .argument("[URL]", "The address of the server; left out, that of the current context")
    .option("--name <NAME>", "What to call the context; the host of the server if left out")
    .option("--token-stdin", "Read the token from standard input", false)
    .option(
      "--ca-fingerprint <FINGERPRINT>",
      "Trust the certificate authority with this fingerprint (sha256:…), which the server prints when it starts",
    )
    .action(async (url: string | undefined, options: LoginOptions) => {
      const { login } = await import("./login.ts");
      await login(context, url, options);
    });
  addExamples(command, [
    { does: "Be asked for the token", run: "bowline login https://bowline.example.com" },
    {
      does: "Sign in to a server of your own, whose certificate nobody else vouches for",
      run: "bowline login https://127.0.0.1:7443 --token-file data/admin.token --ca-fingerprint sha256:3f7a…",
    },
    {
      does: "Sign in from a script",
      run: 'echo "$TOKEN" | bowline login https://bowline.example.com --token-stdin --name ci',
    },
  ]);
}
