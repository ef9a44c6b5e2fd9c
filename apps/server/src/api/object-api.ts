import type { FastifyReply, FastifyRequest } from "fastify";

import type { Access } from "@bowline/auth";
import type { ObjectStore } from "@bowline/store";
import type { WatchService } from "../watch/watch-service.ts";
import type { ErrorHandler } from "../http/error-handler.ts";

/** What the routes of objects work with. */
export interface ObjectApi {
  readonly objects: ObjectStore;
  readonly access: Access;
  /** Without it, objects cannot be watched. */
  readonly watches: WatchService | undefined;
  readonly errors: ErrorHandler;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
}

export type ObjectRequest = FastifyRequest<{ Params: { name: string } }>;

export type ObjectHandler = (request: ObjectRequest, reply: FastifyReply) => Promise<FastifyReply>;
