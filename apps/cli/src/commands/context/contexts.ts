import { BowlineError } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { requireContext } from "../../connection/choose-connection.ts";
import { changeConfig, readConfig } from "../../connection/config-file.ts";
import { contextNamePattern, type ContextEntry } from "../../connection/context-entry.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { TableWriter } from "../../output/table-writer.ts";
import { toDocument } from "../../output/to-document.ts";

export interface ListContextsOptions {
  readonly output: "table" | "json" | "yaml" | "name";
  readonly headers: boolean;
}

export interface ShowContextOptions {
  readonly output: "json" | "yaml";
}

export async function listContexts(context: CommandContext, options: ListContextsOptions): Promise<void> {
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

export async function showContext(
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

export async function useContext(context: CommandContext, name: string): Promise<void> {
  await changeConfig(context.environment, (config) => {
    config.currentContext = requireContext(config, name).name;
  });
  context.terminal.out(`The current context is now "${name}".\n`);
}

export async function deleteContext(context: CommandContext, name: string): Promise<void> {
  await changeConfig(context.environment, (config) => config.remove(requireContext(config, name).name));
  context.terminal.out(`Context "${name}" is forgotten.\n`);
}

export async function renameContext(context: CommandContext, name: string, newName: string): Promise<void> {
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
