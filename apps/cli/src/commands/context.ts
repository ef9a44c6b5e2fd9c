import { BowlineError } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { noHeadersOption, outputOption } from "../command/shared-options.ts";
import { requireContext } from "../connection/choose-connection.ts";
import { changeConfig, readConfig } from "../connection/config-file.ts";
import { contextNamePattern, type ContextEntry } from "../connection/config-document.ts";
import { TableWriter } from "../output/table-writer.ts";
import { printableLine } from "../output/terminal-text.ts";
import { toDocument } from "../output/to-document.ts";

export function addContextCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("context")
    .description("List, choose and change the contexts: the servers this machine knows, each under a name.");
  addExamples(command, [
    { does: "List them; the current one has a star", run: "bowline context list" },
    { does: "Choose another one", run: "bowline context use staging" },
    { does: "Choose another one for a single command", run: "bowline get clusters --context staging" },
  ]);

  const list = command
    .command("list")
    .alias("ls")
    .summary("List contexts")
    .description("List contexts; the current one has a star.")
    .addOption(outputOption(["table", "json", "yaml", "name"], "table"))
    .option(...noHeadersOption)
    .action((options: ListContextsOptions) => listContexts(context, options));
  addExamples(list, [{ does: "Use the names in a script", run: "bowline context list -o name" }]);

  const use = command
    .command("use")
    .summary("Make a context the current one")
    .description("Make a context the current one.")
    .argument("<NAME>", "The context")
    .action((name: string) => useContext(context, name));
  addExamples(use, [{ does: "Work with another server from now on", run: "bowline context use staging" }]);

  const show = command
    .command("show")
    .summary("Show a context")
    .description("Show a context, without its token.")
    .argument("[NAME]", "The context; the current one if left out")
    .addOption(outputOption(["yaml", "json"], "yaml"))
    .action((name: string | undefined, options: ShowContextOptions) => showContext(context, name, options));
  addExamples(show, [{ does: "Show the current one", run: "bowline context show" }]);

  const remove = command
    .command("delete")
    .alias("rm")
    .summary("Forget a context")
    .description("Forget a context and its token.")
    .argument("<NAME>", "The context")
    .action((name: string) => deleteContext(context, name));
  addExamples(remove, [{ does: "Forget a server", run: "bowline context delete staging" }]);

  const rename = command
    .command("rename")
    .summary("Give a context another name")
    .description("Give a context another name.")
    .argument("<NAME>", "The context")
    .argument("<NEW-NAME>", "What to call it from now on")
    .action((name: string, newName: string) => renameContext(context, name, newName));
  addExamples(rename, [{ does: "Use a shorter name", run: "bowline context rename 127.0.0.1:7443 local" }]);
}

interface ListContextsOptions {
  readonly output: "table" | "json" | "yaml" | "name";
  readonly headers: boolean;
}

interface ShowContextOptions {
  readonly output: "json" | "yaml";
}

async function listContexts(context: CommandContext, options: ListContextsOptions): Promise<void> {
  const { terminal } = context;
  const config = await readConfig(context.environment);
  const shown = config.contexts().map((entry) => shownContext(entry, config.currentContext));
  if (options.output === "name") return terminal.out(shown.map(({ name }) => `${name}\n`).join(""));
  if (options.output !== "table") return terminal.out(await toDocument(shown, options.output));
  if (shown.length === 0) return terminal.error("There are no contexts yet; `bowline login` makes one.\n");
  const table = new TableWriter(["CURRENT", "NAME", "SERVER", "TOKEN"], { noHeaders: !options.headers });
  const rows = shown.map((entry) => [entry.current ? "*" : "", entry.name, entry.server, entry.token]);
  return terminal.out(table.rows(rows.map((row) => row.map(printableLine))));
}

async function showContext(
  context: CommandContext,
  name: string | undefined,
  options: ShowContextOptions,
): Promise<void> {
  const config = await readConfig(context.environment);
  const wanted = name ?? context.globals.context ?? config.currentContext;
  if (wanted === undefined)
    throw new BowlineError("NotLoggedIn", "No context is current; run `bowline login URL`.");
  const shown = shownContext(requireContext(config, wanted), config.currentContext);
  context.terminal.out(await toDocument(shown, options.output));
}

async function useContext(context: CommandContext, name: string): Promise<void> {
  await changeConfig(context.environment, (config) => {
    config.currentContext = requireContext(config, name).name;
  });
  context.terminal.out(`The current context is now "${name}".\n`);
}

async function deleteContext(context: CommandContext, name: string): Promise<void> {
  await changeConfig(context.environment, (config) => config.remove(requireContext(config, name).name));
  context.terminal.out(`Context "${name}" is forgotten.\n`);
}

async function renameContext(context: CommandContext, name: string, newName: string): Promise<void> {
  await changeConfig(context.environment, (config) => {
    if (!contextNamePattern.test(newName)) {
      throw new BowlineError("InvalidArgument", `"${newName}" cannot be the name of a context.`);
    }
    if (config.context(newName) !== undefined) {
      throw new BowlineError("AlreadyExists", `There is a context "${newName}" already.`);
    }
    config.rename(requireContext(config, name).name, newName);
  });
  context.terminal.out(`Context "${name}" is now called "${newName}".\n`);
}

interface ShownContext {
  readonly name: string;
  readonly server: string;
  readonly current: boolean;
  /** Where it comes from, never what it is. */
  readonly token: string;
  readonly caPem?: string;
}

function shownContext(entry: ContextEntry, currentName: string | undefined): ShownContext {
  const { name, server, caPem, token, tokenFile } = entry;
  return {
    name,
    server,
    current: name === currentName,
    token: tokenFile ?? (token === undefined ? "none" : "saved"),
    ...(caPem === undefined ? {} : { caPem }),
  };
}
