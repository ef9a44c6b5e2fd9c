import { BowlineError } from "@bowline/core";

import type { ApiPlugin } from "../api/http-api.ts";
import { identityOf } from "../http/admission.ts";
import { readQuery } from "../http/query.ts";
import type { StreamSockets } from "./stream-sockets.ts";
import type { Subscription } from "./subscription.ts";

const streamPath = "/api/v1/stream";

/**
 * `/api/v1/stream`: one WebSocket that carries many requests, for browsers, which open no more than six connections to a
 * server. Each of them passes what every request passes, on behalf of whoever has made the connection.
 */
export function streamRoutes(sockets: StreamSockets): ApiPlugin {
  return (app, { upgrades, carried }) => {
    app.get(streamPath, (request, reply) => {
      readQuery(request, []);
      const upgrade = upgrades.of(request.raw);
      if (upgrade === undefined) {
        throw new BowlineError("BadRequest", "Streams are WebSockets: ask for an upgrade.");
      }
      const identity = identityOf(request);
      const { host, "user-agent": userAgent } = request.headers;
      const route = (subscription: Subscription): void => {
        carried.set(subscription.request, identity);
        app.routing(subscription.request, subscription.response);
      };
      sockets.open({
        identity,
        request: request.raw,
        response: reply.raw,
        upgrade,
        shared: { address: request.ip, host, userAgent },
        route,
      });
      request.isStream = true;
      reply.hijack();
    });
    upgrades.takeBelow(streamPath);
  };
}
