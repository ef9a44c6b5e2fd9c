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
import type { Clock, RandomBytes } from "@bowline/core";
import type { FastifyRequest } from "fastify";

import { jsonType, requireBody } from "../http/json-body.ts";
import type { ApiPlugin } from "../api/http-api.ts";
import { readQuery } from "../http/query.ts";
import { requireName } from "../api/object-api.ts";
import { requestRecord } from "../http/request-records.ts";
import type { AgentStore, Revoked } from "@bowline/store";
import { issueJoinToken, type JoinEndpoint } from "../provisioning/join-token.ts";

export interface JoinRoutesOptions {
  readonly agents: Pick<AgentStore, "createJoinToken" | "revoke">;
  readonly clock: Pick<Clock, "now">;
  readonly randomBytes: RandomBytes;
  /** The address and CA for agents; undefined when this server takes none. */
  readonly endpoint: () => JoinEndpoint | undefined;
  /** The image of agents, where the request names none. */
  readonly image: string;
  /** Ends the sessions, and resolves when that is done in this process. */
  readonly onRevoked: (revoked: Revoked) => void;
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
  options: JoinRoutesOptions,
  cluster: string,
  request: FastifyRequest,
): Promise<JoinToken> {
  const { expiresInSeconds = defaultSeconds, manifest } = requestIn(request);
  const { token, expiresAtMs, endpoint } = await issueJoinToken(options, {
    cluster,
    lifetimeMs: expiresInSeconds * 1_000,
    audit: () =>
      requestRecord(request, {
        ...allowed,
        verb: "create",
        kind: "JoinToken",
        name: cluster,
        httpStatus: 201,
      }),
  });
  const { servers, caPem, caFingerprint } = endpoint;
  const { image } = options;
  return {
    token,
    expiresAt: new Date(expiresAtMs).toISOString(),
    server: servers[0],
    ...(caPem === undefined ? {} : { caPem }),
    ...(caFingerprint === undefined ? {} : { caFingerprint }),
    ...(manifest === undefined ? {} : { manifest: renderManifest({ image, ...manifest }, cluster, token) }),
  };
}

/** The same text that `bowline cluster add` prints. */
function renderManifest(
  wanted: NonNullable<JoinTokenRequest["manifest"]> & { readonly image: string },
  cluster: string,
  joinToken: string,
): string {
  const { rights = defaultRights, namespace = defaultAgentNamespace, image } = wanted;
  return printManifest(agentManifest({ cluster, namespace, image, rights, joinToken }), "yaml");
}

function requestIn(request: FastifyRequest): JoinTokenRequest {
  if (request.body === undefined) return {};
  const result = validateRequest(requireBody(request, [jsonType]));
  if (result.ok) return result.value;
  throw invalidError("The request for a join token", result.problems);
}
