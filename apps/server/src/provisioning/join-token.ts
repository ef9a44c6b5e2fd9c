import { BowlineError, type Clock, type RandomBytes } from "@bowline/core";
import { joinSecretHash, newJoinSecret } from "@bowline/gateway";
import { encodeJoinToken } from "@bowline/protocol";
import type { AgentStore, NewAuditRecord } from "@bowline/store";

/** Where agents find the server, and how they know it. */
export interface JoinEndpoint {
  /** The best first. */
  readonly servers: readonly [string, ...string[]];
  readonly caPem?: string | undefined;
  readonly caFingerprint?: string | undefined;
}

export interface JoinTokenTools {
  readonly agents: Pick<AgentStore, "createJoinToken">;
  readonly clock: Pick<Clock, "now">;
  readonly randomBytes: RandomBytes;
  /** The address and CA for agents; undefined when this server takes none. */
  readonly endpoint: () => JoinEndpoint | undefined;
}

interface NewToken {
  /** Name of the Cluster. */
  readonly cluster: string;
  readonly lifetimeMs: number;
  readonly audit: () => NewAuditRecord;
}

export interface IssuedToken {
  readonly token: string;
  readonly expiresAtMs: number;
  readonly endpoint: JoinEndpoint;
}

/** Makes a token that one agent may join by; nobody can read it again afterwards. */
export async function issueJoinToken(
  { agents, clock, randomBytes, endpoint: endpointNow }: JoinTokenTools,
  { cluster, lifetimeMs, audit }: NewToken,
): Promise<IssuedToken> {
  const endpoint = requireEndpoint(endpointNow());
  const secret = newJoinSecret(randomBytes);
  const expiresAtMs = clock.now() + lifetimeMs;
  await agents.createJoinToken({ hash: joinSecretHash(secret), cluster, expiresAtMs }, audit);
  const { servers, caFingerprint } = endpoint;
  const pinned = caFingerprint === undefined ? {} : { caFingerprint };
  return { token: encodeJoinToken({ secret, servers, ...pinned }), expiresAtMs, endpoint };
}

function requireEndpoint(endpoint: JoinEndpoint | undefined): JoinEndpoint {
  if (endpoint !== undefined) return endpoint;
  throw new BowlineError(
    "Conflict",
    "This server takes no agents, because it speaks no TLS; start it without `--tls off`.",
    { retryable: false },
  );
}
