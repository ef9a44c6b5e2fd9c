import { Option, type Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import { noHeadersOption, outputOption } from "../../command/shared-options.ts";
import type { CreateTokenOptions, ListTokensOptions } from "./tokens.ts";

/** Those of the API, which is not loaded to show help; a test compares them. */
export const tokenRoles = ["viewer", "editor", "admin"] as const;

export function addTokenCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("token")
    .description(
      "Create, list, revoke and delete tokens: the secrets that programs and people sign in with.",
    );
  addExamples(command, [
    {
      does: "Make a token for a program",
      run: "bowline token create ci --for deployer --expires 90d > ci-token",
    },
    { does: "See which tokens there are, and when they were last used", run: "bowline token list" },
    { does: "Stop a token from working, at once", run: "bowline token revoke ci" },
  ]);
  addCreate(command, context);
  addList(command, context);
  addRevoke(command, context);
  addDelete(command, context);
}

function addCreate(command: Command, context: CommandContext): void {
  const create = command
    .command("create")
    .summary("Make a token")
    .description(
      "Make a token. The token itself is printed on standard output, now and never again: the server keeps only a hash.",
    )
    .argument("<NAME>", "What to call it")
    .option("--for <USER>", "The user it stands for; you, if left out")
    .addOption(
      new Option("--role <ROLE>", "The most it may do, where that is less than the user may").choices(
        tokenRoles,
      ),
    )
    .option(
      "--expires <DURATION>",
      "When it stops working, such as 12h, 30d or 1y from now; never, if left out",
    )
    .option("--description <TEXT>", "What it is for")
    .addOption(outputOption(["json", "yaml"]))
    .action(async (name: string, options: CreateTokenOptions) => {
      const { createToken } = await import("./tokens.ts");
      await createToken(context, name, options);
    });
  addExamples(create, [
    {
      does: "Make a token for yourself that can only read",
      run: "bowline token create laptop --role viewer",
    },
    {
      does: "Make one for a program, and keep it in a file",
      run: "bowline token create ci --for deployer > ci-token",
    },
  ]);
}

function addList(command: Command, context: CommandContext): void {
  const list = command
    .command("list")
    .alias("ls")
    .summary("List tokens")
    .description("List tokens, with their last use. What they are is never shown.")
    .option("--for <USER>", "Only those of this user")
    .addOption(outputOption(["table", "wide", "json", "yaml", "name"], "table"))
    .option(...noHeadersOption)
    .action(async (options: ListTokensOptions) => {
      const { listTokens } = await import("./tokens.ts");
      await listTokens(context, options);
    });
  addExamples(list, [{ does: "List those of one user", run: "bowline token list --for deployer -o wide" }]);
}

function addRevoke(command: Command, context: CommandContext): void {
  const revoke = command
    .command("revoke")
    .summary("Stop tokens from working")
    .description(
      "Stop tokens from working, at once and for good. They stay in the list, so that it can be seen later.",
    )
    .argument("<NAME...>", "The tokens")
    .action(async (names: string[]) => {
      const { revokeTokens } = await import("./tokens.ts");
      await revokeTokens(context, names);
    });
  addExamples(revoke, [
    { does: "Revoke a token that got into the wrong hands", run: "bowline token revoke ci" },
  ]);
}

function addDelete(command: Command, context: CommandContext): void {
  const remove = command
    .command("delete")
    .alias("rm")
    .summary("Delete tokens")
    .description("Delete tokens. They stop working at once, and nothing is left of them but the audit log.")
    .argument("<NAME...>", "The tokens")
    .action(async (names: string[]) => {
      const { deleteTokens } = await import("./tokens.ts");
      await deleteTokens(context, names);
    });
  addExamples(remove, [{ does: "Delete a token", run: "bowline token delete ci" }]);
}
