import { randomUUID } from "node:crypto";

import { roles, Token, type Role } from "@bowline/api";
import type { ReadObject } from "@bowline/client";
import { BowlineError, parseDurationMs } from "@bowline/core";
import { Option, type Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { noHeadersOption, outputOption, type OutputFormat } from "../command/shared-options.ts";
import { toDocument } from "../output/to-document.ts";
import { printObjects } from "../resources/print-objects.ts";

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
      new Option("--role <ROLE>", "The most it may do, where that is less than the user may").choices(roles),
    )
    .option(
      "--expires <DURATION>",
      "When it stops working, such as 12h, 30d or 1y from now; never, if left out",
    )
    .option("--description <TEXT>", "What it is for")
    .addOption(outputOption(["json", "yaml"]))
    .action((name: string, options: CreateTokenOptions) => createToken(context, name, options));
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
    .action((options: ListTokensOptions) => listTokens(context, options));
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
    .action((names: string[]) => revokeTokens(context, names));
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
    .action((names: string[]) => deleteTokens(context, names));
  addExamples(remove, [{ does: "Delete a token", run: "bowline token delete ci" }]);
}

interface CreateTokenOptions {
  readonly for?: string;
  readonly role?: Role;
  readonly expires?: string;
  readonly description?: string;
  readonly output?: "json" | "yaml";
}

interface ListTokensOptions {
  readonly for?: string;
  readonly output: OutputFormat;
  readonly headers: boolean;
}

export async function createToken(
  context: CommandContext,
  name: string,
  options: CreateTokenOptions,
): Promise<void> {
  const { terminal, clock } = context;
  const { role, description, expires, output } = options;
  const expiresAt = expires === undefined ? undefined : parseExpiry(expires, clock.now());
  const client = await context.client();
  const user = options.for ?? (await client.whoami()).user;
  const created = await client.create(
    Token,
    {
      metadata: { name },
      spec: {
        user,
        ...(role === undefined ? {} : { role }),
        ...(description === undefined ? {} : { description }),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      },
    },
    // A token whose answer got lost would be there, and nobody would know what it is.
    { idempotencyKey: randomUUID() },
  );
  if (output !== undefined) return terminal.out(await toDocument(created, output));
  const secret = secretOf(created);
  const end = expiresAt === undefined ? "never expires" : `expires ${expiresAt}`;
  terminal.error(`Token "${name}" for ${user} ${end}. It is shown only this once:\n`);
  return terminal.out(`${secret}\n`);
}

async function listTokens(context: CommandContext, options: ListTokensOptions): Promise<void> {
  const client = await context.client();
  const fieldSelector = options.for === undefined ? undefined : `spec.user=${options.for}`;
  const found: { kind: typeof Token; object: ReadObject<typeof Token> }[] = [];
  for await (const page of client.listAll(Token, { fieldSelector })) {
    found.push(...page.items.map((object) => ({ kind: Token, object })));
  }
  if (found.length === 0 && options.output === "table") return context.terminal.error("No tokens found.\n");
  return context.terminal.out(
    await printObjects(found, {
      ...options,
      showLabels: false,
      nowMs: context.clock.now(),
      paint: context.paint,
      single: false,
      withKind: false,
    }),
  );
}

async function revokeTokens(context: CommandContext, names: readonly string[]): Promise<void> {
  const client = await context.client();
  for (const name of names) {
    await client.revokeToken(name);
    context.terminal.out(`token/${name} revoked\n`);
  }
}

async function deleteTokens(context: CommandContext, names: readonly string[]): Promise<void> {
  const client = await context.client();
  for (const name of names) {
    await client.delete(Token, name);
    context.terminal.out(`token/${name} deleted\n`);
  }
}

function secretOf({ metadata, status }: ReadObject<typeof Token>): string {
  const secret = "secret" in status ? status.secret : undefined;
  if (typeof secret === "string") return secret;
  throw new BowlineError(
    "ResponseInvalid",
    `The server made the token "${metadata.name}" but did not say what it is; delete it and make another.`,
  );
}

/** The time that is so long from now: `12h`, `30d`, `2w` or `1y`. */
export function parseExpiry(text: string, nowMs: number): string {
  const durationMs = parseDurationMs(text);
  const endMs = nowMs + (durationMs ?? 0);
  // ISO 8601 has no way to write a year with five digits that everybody reads.
  if (durationMs !== undefined && durationMs > 0 && endMs < Date.UTC(9999, 0))
    return new Date(endMs).toISOString();
  throw new BowlineError(
    "InvalidArgument",
    `"${text.slice(0, 64)}" is not a duration such as 12h, 30d or 1y.`,
  );
}
