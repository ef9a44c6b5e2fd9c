import {
  Cluster,
  createValidator,
  defaultAgentNamespace,
  defaultRights,
  invalidError,
  JoinTokenRequest,
  type JoinToken,
  type RevokedAgents,
} from "@bowline/api";
import { agentManifest, printManifest } from "@bowline/api/agent-manifest";
import { BowlineError, type Clock, type RandomBytes } from "@bowline/core";
import { encodeJoinToken } from "@bowline/protocol";
import type { FastifyRequest } from "fastify";

import { jsonType, requireBody } from "../http/json-body.ts";
import type { ApiPlugin } from "../api/http-api.ts";
import { readQuery } from "../http/query.ts";
import { requireName } from "../api/object-api.ts";
import { requestRecord } from "../http/request-records.ts";
import type { AgentStore, Revoked } from "@bowline/store";
import { joinSecretHash, newJoinSecret } from "@bowline/gateway";

export interface JoinRoutesOptions {
  readonly agents: Pick<AgentStore, "createJoinToken" | "revoke">;
  readonly clock: Pick<Clock, "now">;
  readonly randomBytes: RandomBytes;
  /** Of this server: agents that it describes are of the same. */
  readonly version: string;
  /** The address and CA for agents; undefined when this server takes none. */
  readonly endpoint: () => JoinEndpoint | undefined;
  /** Ends the sessions, and resolves when that is done in this process. */
  readonly onRevoked: (revoked: Revoked) => void;
}

/** Where agents find the server, and how they know it. */
export interface JoinEndpoint {
  /** The best first. */
  readonly servers: readonly [string, ...string[]];
  readonly caPem?: string | undefined;
  readonly caFingerprint?: string | undefined;
}

const defaultSeconds = 3_600;
const validateRequest = createValidator(JoinTokenRequest);

/** Join tokens, and revoking the agents of a Cluster. */
export function joinRoutes(options: JoinRoutesOptions): ApiPlugin {
  const { agents, onRevoked } = options;
  // Everybody who may change a Cluster decides what runs in it.
  const config = { action: { verb: "update", kind: Cluster } } as const;
  return (app) => {
    app.post<{ Params: { name: string } }>(
      "/api/v1/clusters/:name/join-tokens",
      { config },
      async (request, reply) => {
        readQuery(request, []);
        const token = await createToken(options, requireName(Cluster, request), request);
        return reply.code(201).header("cache-control", "no-store").send(token);
      },
    );

    app.post<{ Params: { name: string } }>(
      "/api/v1/clusters/:name/revoke-agents",
      { config },
      async (request): Promise<RevokedAgents> => {
        readQuery(request, []);
        const name = requireName(Cluster, request);
        const revoked = await agents.revoke(name, () =>
          requestRecord(request, { ...allowed, verb: "revoke", kind: Cluster.kind, name, httpStatus: 200 }),
        );
        onRevoked(revoked);
        return { keys: revoked.agentIds.length, joinTokens: revoked.joinTokens };
      },
    );
  };
}

const allowed = { outcome: "allowed" } as const;

async function createToken(
  { agents, clock, randomBytes, endpoint, version }: JoinRoutesOptions,
  cluster: string,
  request: FastifyRequest,
): Promise<JoinToken> {
  const { expiresInSeconds = defaultSeconds, manifest } = requestIn(request);
  const { servers, caPem, caFingerprint } = requireEndpoint(endpoint());
  const secret = newJoinSecret(randomBytes);
  const expiresAtMs = clock.now() + expiresInSeconds * 1000;
  await agents.createJoinToken({ hash: joinSecretHash(secret), cluster, expiresAtMs }, () =>
    requestRecord(request, { ...allowed, verb: "create", kind: "JoinToken", name: cluster, httpStatus: 201 }),
  );
  const pinned = caFingerprint === undefined ? {} : { caFingerprint };
  const token = encodeJoinToken({ secret, servers, ...pinned });
  return {
    token,
    expiresAt: new Date(expiresAtMs).toISOString(),
    server: servers[0],
    ...(caPem === undefined ? {} : { caPem }),
    ...pinned,
    ...(manifest === undefined ? {} : { manifest: renderManifest(manifest, { cluster, token, version }) }),
  };
}

/** The same text that `bowline cluster add` prints. */
function renderManifest(
  wanted: NonNullable<JoinTokenRequest["manifest"]>,
  { cluster, token, version }: { readonly cluster: string; readonly token: string; readonly version: string },
): string {
  const { rights = defaultRights, namespace = defaultAgentNamespace } = wanted;
  const { image = `bowline:${version}` } = wanted;
  return printManifest(agentManifest({ cluster, namespace, image, rights, joinToken: token }), "yaml");
}

function requestIn(request: FastifyRequest): JoinTokenRequest {
  if (request.body === undefined) return {};
  const result = validateRequest(requireBody(request, [jsonType]));
  if (result.ok) return result.value;
  throw invalidError("The request for a join token", result.problems);
}

function requireEndpoint(endpoint: JoinEndpoint | undefined): JoinEndpoint {
  if (endpoint !== undefined) return endpoint;
  throw new BowlineError(
    "Conflict",
    "This server takes no agents, because it speaks no TLS; start it without `--tls off`.",
    { retryable: false },
  );
}
