import { randomBytes as systemRandomBytes } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";

import { kinds as allKinds, type Kind } from "@bowline/api";
import {
  BowlineError,
  systemClock,
  type Clock,
  type Logger,
  type Metrics,
  type RandomBytes,
  createRequestIds,
} from "@bowline/core";
import { fastify, type FastifyInstance } from "fastify";

import { AuditBuffer, type Store } from "@bowline/store";
import type { Access } from "@bowline/auth";
import type { WatchService } from "../watch/object-watch.ts";
import { addJsonParser } from "../http/json-body.ts";
import { answerClientError, OpenAnswers } from "../http/open-answers.ts";
import { ErrorHandler } from "../http/error-handler.ts";
import { routeNotFound } from "../http/request-error.ts";
import { addAdmission, type CarriedRequests } from "../http/admission.ts";
import { addHttpMetrics, addRequestLog } from "../http/observe-requests.ts";
import { defaultLimits, limitServer, serverOptionsFor, type HttpLimits } from "../http/limits.ts";
import { Upgrades } from "../http/upgrades.ts";
import { addObjectRoutes } from "./object-routes.ts";

export interface HttpApiOptions {
  readonly store: Pick<Store, "objects" | "audit">;
  readonly access: Access;
  readonly logger: Logger;
  /** Without it, objects cannot be watched. */
  readonly watches?: WatchService | undefined;
  readonly metrics?: Metrics | undefined;
  readonly clock?: Clock;
  readonly randomBytes?: RandomBytes;
  readonly limits?: Partial<HttpLimits>;
  readonly kinds?: readonly Kind[];
  /** Further routes. */
  readonly plugins?: readonly ApiPlugin[];
  /** Makes a server that does more than plain HTTP; `serverOptionsFor` says what it should be made with. */
  readonly serverFactory?: ((handler: RequestListener, limits: HttpLimits) => Server) | undefined;
  /** Addresses of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies?: readonly string[];
}

/**
 * Adds routes to the API. They get its errors, request ids and limits, and need a valid token unless `config.open` says
 * otherwise. What they throw becomes the answer; a `BowlineError` with its own status.
 */
export type ApiPlugin = (app: FastifyInstance, context: ApiContext) => void | Promise<void>;

/** The parts of the API that routes of others may use. */
export interface ApiContext {
  /** For what belongs to no write of an object, such as logins. Denials are recorded without being told. */
  readonly audit: AuditBuffer;
  /** Writes errors where a route writes its answer itself. */
  readonly errors: ErrorHandler;
  readonly limits: HttpLimits;
  /** Takes connections that ask for another protocol. */
  readonly upgrades: Upgrades;
  /** Who makes the requests that a connection carries besides the one it began with. */
  readonly carried: Pick<CarriedRequests, "set">;
  /** Aborts when the server stops; streams end then. */
  readonly stopping: AbortSignal;
}

/** Makes the API; nothing listens yet. Closing it ends streams, waits for requests, and writes the last records. */
export async function createHttpApi(options: HttpApiOptions): Promise<FastifyInstance> {
  const { store, access, logger, metrics, kinds = allKinds, clock = systemClock } = options;
  const limits: HttpLimits = { ...defaultLimits, ...options.limits };
  const audit = new AuditBuffer({ log: store.audit, clock, logger });
  const errors = new ErrorHandler({ logger, audit, limits });
  const stopping = new AbortController();
  const openAnswers = new OpenAnswers();
  const carried: CarriedRequests = new WeakMap();
  const app = createApp(options, { limits, errors, openAnswers });

  errors.addTo(app);
  addJsonParser(app);
  addAdmission(app, {
    access,
    clock,
    limits,
    carried,
    routeNotFound: (request) => routeNotFound(app, kinds, request),
  });
  if (metrics !== undefined) addHttpMetrics(app, metrics);
  addRequestLog(app, logger);
  app.addHook("preClose", (done) => {
    stopping.abort(new BowlineError("ServerUnavailable", "The server is stopping; connect again."));
    done();
  });
  app.addHook("onClose", () => audit.close());

  const upgrades = new Upgrades();
  upgrades.listen(app, openAnswers);
  const context: ApiContext = { audit, errors, limits, upgrades, carried, stopping: stopping.signal };
  const { watches } = options;
  addObjectRoutes(app, kinds, {
    objects: store.objects,
    access,
    watches,
    errors,
    stopping: stopping.signal,
  });
  for (const plugin of options.plugins ?? []) {
    await app.register(async (scope) => plugin(scope, context));
  }
  await app.ready();
  return app;
}

function createApp(
  options: HttpApiOptions,
  {
    limits,
    errors,
    openAnswers,
  }: Pick<ApiContext, "limits" | "errors"> & { readonly openAnswers: OpenAnswers },
): FastifyInstance {
  const { randomBytes = systemRandomBytes, trustedProxies = [], serverFactory = plainServer } = options;
  const requestId = createRequestIds(randomBytes);
  return fastify({
    // Its own logger would make a child for every request.
    logger: false,
    genReqId: requestId,
    bodyLimit: limits.maxBodyBytes,
    // Whether a name can be one is for the routes to say, each in its own way.
    routerOptions: { maxParamLength: limits.maxUrlLength },
    // Requests on connections that are still open while the server stops are answered, and the connections closed.
    return503OnClosing: false,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    frameworkErrors: (error, request, reply) => void errors.handle(error, request, reply),
    clientErrorHandler: (error, socket) =>
      answerClientError(error, { socket, isAwaited: openAnswers.isAwaited(socket) }, requestId()),
    serverFactory: (handler) => {
      const server = serverFactory(handler, limits);
      limitServer(server, limits);
      openAnswers.watch(server);
      // Node would refuse what somebody expects besides 100-continue, in words of its own. It is a request like any
      // other, and whoever counts those has to hear of it.
      server.on("checkExpectation", (request, response) => server.emit("request", request, response));
      return server;
    },
  });
}

function plainServer(handler: RequestListener, limits: HttpLimits): Server {
  return createServer(serverOptionsFor(limits), handler);
}
