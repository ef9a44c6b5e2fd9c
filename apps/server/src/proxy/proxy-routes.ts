import type { IncomingMessage, Server, ServerResponse } from "node:http";

import { BowlineError } from "@bowline/core";
import type { FastifyReply, FastifyRequest } from "fastify";

import type { ApiPlugin } from "../api/http-api.ts";
import type { ClusterProxy } from "./cluster-proxy.ts";
import { clustersPath } from "./request/cluster-target.ts";

/** `/clusters/NAME/…`: a Kubernetes API endpoint for each cluster. Requests get here when the API has admitted them. */
export function proxyRoutes(proxy: ClusterProxy): ApiPlugin {
  return (app, context) => {
    const unanswered = new WeakSet<IncomingMessage>();

    const serve = (request: FastifyRequest, reply: FastifyReply): void | Promise<void> =>
      proxy.serve({
        request,
        response: reply.raw,
        upgrade: context.upgrades.of(request.raw),
        onSent: ({ request: { isStream }, upgrade }) => {
          request.isStream = isStream || upgrade !== undefined;
          reply.hijack();
          if (unanswered.has(request.raw)) reply.raw.writeContinue();
        },
      });

    app.setErrorHandler((error, request, reply) => proxy.refusals.refuse(error, request, reply, context));
    app.all(`${clustersPath}*`, {
      config: { auditVerb: "proxy", ownLimits: true },
      // Before Fastify looks at the body, which is none of its business, and refuses types it does not know.
      onRequest: (request, reply, done) => {
        try {
          const later = serve(request, reply);
          if (later !== undefined) void refuseLater(later, done);
        } catch (error) {
          done(BowlineError.from(error));
        }
      },
      handler: () => {
        throw new BowlineError("Internal", "A request for a cluster was neither passed on nor refused.");
      },
    });
    context.upgrades.takeBelow(clustersPath);
    holdBodies(app.server, unanswered);
  };
}

/** A request that is passed on is answered elsewhere: only a refusal goes on. */
async function refuseLater(serving: Promise<void>, done: (error: Error) => void): Promise<void> {
  try {
    await serving;
  } catch (error) {
    done(BowlineError.from(error));
  }
}

function isForCluster({ url }: IncomingMessage): boolean {
  return url?.startsWith(clustersPath) === true;
}

/** A client that asks before sending a body for a cluster is told to go on when it is known that somebody wants it. */
function holdBodies(server: Server, unanswered: WeakSet<IncomingMessage>): void {
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    if (isForCluster(request)) unanswered.add(request);
    else response.writeContinue();
    server.emit("request", request, response);
  });
}
