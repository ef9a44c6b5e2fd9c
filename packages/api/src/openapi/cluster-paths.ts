import { jsonAnswer, writeErrorReferences } from "./answers.ts";
import { parameters } from "./parameters.ts";

/** What can be done with the agents of a Cluster, beyond reading and writing it. */
export function clusterPaths(): Record<string, object> {
  return {
    "/api/v1/clusters/{name}/join-tokens": {
      parameters: parameters("Name"),
      post: {
        operationId: "createJoinToken",
        summary: "Make what an agent joins a Cluster with",
        description:
          "The answer shows it once. The agent that joins with it replaces the one that joined before; it must run in the same Kubernetes cluster.",
        tags: ["Cluster"],
        requestBody: {
          required: false,
          content: { "application/json": { schema: { $ref: "#/components/schemas/JoinTokenRequest" } } },
        },
        responses: {
          "201": jsonAnswer("Made.", "JoinToken"),
          ...writeErrorReferences("404", "409", "422"),
        },
      },
    },
    "/api/v1/clusters/{name}/revoke-agents": {
      parameters: parameters("Name"),
      post: {
        operationId: "revokeAgents",
        summary: "Revoke the agents of a Cluster",
        description:
          "Their keys and all unused join tokens stop working at once, and their connections are closed. An agent needs a new join token to come back, and may then run in another Kubernetes cluster.",
        tags: ["Cluster"],
        responses: { "200": jsonAnswer("Revoked.", "RevokedAgents"), ...writeErrorReferences("404") },
      },
    },
  };
}
