import { randomUUID } from "node:crypto";

import { Token, type Role } from "@bowline/api";
import type { ReadObject } from "@bowline/client";
import { BowlineError } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import type { OutputFormat } from "../../command/shared-options.ts";
import { printObjects } from "../../resources/print-objects.ts";
import { toDocument } from "../../output/to-document.ts";
import { parseExpiry } from "./parse-expiry.ts";

export interface CreateTokenOptions {
  readonly for?: string;
  readonly role?: Role;
  readonly expires?: string;
  readonly description?: string;
  readonly output?: "json" | "yaml";
}

export interface ListTokensOptions {
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

export async function listTokens(context: CommandContext, options: ListTokensOptions): Promise<void> {
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

export async function revokeTokens(context: CommandContext, names: readonly string[]): Promise<void> {
  const client = await context.client();
  for (const name of names) {
    await client.revokeToken(name);
    context.terminal.out(`token/${name} revoked\n`);
  }
}

export async function deleteTokens(context: CommandContext, names: readonly string[]): Promise<void> {
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
