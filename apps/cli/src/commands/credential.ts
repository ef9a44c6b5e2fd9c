import { BowlineError } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { connectionOf, tokenOf } from "../connection/connect-to-server.ts";
import { execApiVersion } from "../kubeconfig/kubeconfig-entries.ts";

export function addCredentialCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("credential")
    .description(
      "Print the token of the context as an ExecCredential. kubectl runs this by itself, as the kubeconfigs of `bowline kubeconfig` tell it to.",
    )
    .action(() => printCredential(context));
  addExamples(command, [
    { does: "What kubectl runs for a context", run: "bowline credential --context production" },
  ]);
}

/**
 * Hands the token to kubectl. The server is not asked: kubectl waits for this before every command, and finds out by
 * itself what the token is worth.
 */
async function printCredential(context: CommandContext): Promise<void> {
  const connection = await connectionOf(context);
  const token = await tokenOf(connection);
  const login = `run \`bowline login ${connection.server}\``;
  if (token === undefined) {
    throw new BowlineError("NotLoggedIn", `There is no token for ${connection.server}; ${login}.`);
  }
  const expiresAtMs = jwtExpiry(token);
  if (expiresAtMs !== undefined && expiresAtMs <= context.clock.now()) {
    const when = new Date(expiresAtMs).toISOString();
    throw new BowlineError("NotLoggedIn", `The token for ${connection.server} expired at ${when}; ${login}.`);
  }
  const status = {
    token,
    ...(expiresAtMs === undefined ? {} : { expirationTimestamp: timestamp(expiresAtMs) }),
  };
  context.terminal.out(`${JSON.stringify({ apiVersion: execApiVersion, kind: "ExecCredential", status })}\n`);
}

/** As Kubernetes writes times: in whole seconds. */
function timestamp(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d+Z$/u, "Z");
}

/** The furthest time that a Date can hold. */
const maxTimeMs = 8.64e15;

/**
 * When a token stops working, if it is a JWT and says so. Nothing is verified: that is up to the server. A token of
 * Bowline does not tell.
 */
function jwtExpiry(token: string): number | undefined {
  const [, payload, signature] = token.split(".");
  if (payload === undefined || signature === undefined) return undefined;
  const claims = parse(Buffer.from(payload, "base64url").toString());
  if (typeof claims !== "object" || claims === null || !("exp" in claims)) return undefined;
  const { exp } = claims;
  if (typeof exp !== "number" || !(Math.abs(exp * 1000) <= maxTimeMs)) return undefined;
  return exp * 1000;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
