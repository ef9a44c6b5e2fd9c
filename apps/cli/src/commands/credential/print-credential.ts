import { BowlineError } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { connectionOf, tokenOf } from "../../connection/connect-to-server.ts";
import { execApiVersion } from "../kubeconfig/kubeconfig-entries.ts";
import { jwtExpiry } from "./jwt-expiry.ts";

/**
 * Hands the token to kubectl. The server is not asked: kubectl waits for this before every command, and finds out by
 * itself what the token is worth.
 */
export async function printCredential(context: CommandContext): Promise<void> {
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
