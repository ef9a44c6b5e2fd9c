import type { Duplex } from "node:stream";

import type { Client, ClientLimits } from "@bowline/client";
import { proxyFor } from "@bowline/core";

import type { CommandContext } from "../command/command-context.ts";
import { chooseConnection, type ConnectionChoice } from "./choose-connection.ts";
import { readConfig } from "./config-file.ts";
import { readNamedFile, requireCertificates, requireToken } from "./named-file.ts";

/** A client for the server that the flags, the environment or the current context name. */
export async function connectToServer(
  context: CommandContext,
  limits: Partial<ClientLimits> = {},
): Promise<Client> {
  const choice = await connectionOf(context);
  return clientFor(context, {
    server: choice.server,
    token: await tokenOf(choice),
    caPem: await caOf(choice),
    openStream: await wayTo(context, choice),
    limits,
  });
}

/** The server that is meant, for commands that let another program talk to it. */
export async function connectionOf({
  globals,
  environment,
}: Pick<CommandContext, "globals" | "environment">): Promise<ConnectionChoice> {
  return chooseConnection({ globals, environment, config: await readConfig(environment) });
}

async function wayTo(
  context: CommandContext,
  { context: entry }: ConnectionChoice,
): Promise<(() => Promise<Duplex>) | undefined> {
  if (entry?.kubernetes === undefined) return undefined;
  const { openWay } = await import("./cluster-way.ts");
  return openWay(entry.kubernetes, context);
}

interface ServerAccess {
  readonly server: string;
  readonly token: string | undefined;
  readonly caPem: string | undefined;
  /** Through a cluster, rather than to the address of the server. */
  readonly openStream?: (() => Promise<Duplex>) | undefined;
  readonly limits?: Partial<ClientLimits>;
}

/** The client is loaded here and not before: kubectl waits for `bowline credential`, which needs none. */
export async function clientFor(context: CommandContext, access: ServerAccess): Promise<Client> {
  const { createClient } = await import("@bowline/client");
  const { clock, random, signal, version, environment } = context;
  return createClient({
    ...access,
    proxyUrl: URL.canParse(access.server) ? proxyFor(new URL(access.server), environment)?.href : undefined,
    userAgent: `bowline/${version}`,
    clock,
    random,
    signal,
  });
}

export async function tokenOf({ token }: ConnectionChoice): Promise<string | undefined> {
  if (token === undefined) return undefined;
  if ("value" in token) return requireToken(token.value, "BOWLINE_TOKEN or the context");
  return requireToken(await readNamedFile(token.file, "a token"), token.file);
}

export async function caOf({ ca }: ConnectionChoice): Promise<string | undefined> {
  if (ca === undefined) return undefined;
  return "pem" in ca ? ca.pem : requireCertificates(await readNamedFile(ca.file, "certificates"), ca.file);
}
