import { ServerResponse, type IncomingMessage, type Server } from "node:http";
import type { Duplex } from "node:stream";

import { BowlineError } from "@bowline/core";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import type { OpenAnswers } from "../http/open-answers.ts";
import type { ApiPlugin } from "../api/http-api.ts";
import type { ClusterProxy } from "./cluster-proxy.ts";
import type { UpgradeRequest } from "./transfer/upgraded-socket.ts";
import { bearerInProtocols } from "./request/upgrade-headers.ts";
import { clustersPath } from "./request/cluster-target.ts";

/** `/clusters/NAME/…`: a Kubernetes API endpoint for each cluster. Requests get here when the API has admitted them. */
export function proxyRoutes(proxy: ClusterProxy): ApiPlugin {
  return (app, context) => {
    const upgrades = new WeakMap<IncomingMessage, UpgradeRequest>();
    const unanswered = new WeakSet<IncomingMessage>();

    const serve = (request: FastifyRequest, reply: FastifyReply): void | Promise<void> =>
      proxy.serve({
        request,
        response: reply.raw,
        upgrade: upgrades.get(request.raw),
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
    takeUpgrades(app, upgrades, context.openAnswers);
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

/**
 * Connections that ask for another protocol take the same way as requests, so that the same is asked of them. Node has
 * let go of such a connection: whatever is answered in place of the other protocol is the last thing on it.
 */
function takeUpgrades(
  app: FastifyInstance,
  upgrades: WeakMap<IncomingMessage, UpgradeRequest>,
  openAnswers: OpenAnswers,
): void {
  const take = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // Without a listener, a connection that breaks would end the process.
    socket.on("error", () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(request.socket);
    response.once("finish", () => request.socket.destroySoon());
    request.headers.authorization ??= bearerInProtocols(request.headers);
    upgrades.set(request, { socket, head });
    app.routing(request, response);
  };
  app.server.on("upgrade", take);
  // Other addresses that are asked for another protocol answer in this one, as they always did. So does a
  // connection with earlier answers to come: those would never be told that it has closed.
  const shouldUpgradeCallback = (request: IncomingMessage): boolean =>
    isForCluster(request) && !openAnswers.isBusy(request.socket);
  Object.assign(app.server, { shouldUpgradeCallback });
  app.addHook("onClose", (_, done) => {
    app.server.off("upgrade", take);
    done();
  });
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
