import type { Kind } from "@bowline/api";
import type { FastifyInstance } from "fastify";

import type { Verb } from "@bowline/auth";
import { applyObject, patchObject, writeStatus } from "./update-object.ts";
import { createObject } from "./create-object.ts";
import { deleteObject } from "./delete-object.ts";
import { getObject, listObjects } from "./read-objects.ts";
import type { ObjectApi, ObjectHandler } from "./object-api.ts";

interface ObjectRoute {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Behind the plural of the kind. */
  readonly path: "" | "/:name" | "/:name/status";
  readonly verb: Verb;
  readonly handlerFor: (api: ObjectApi, kind: Kind) => ObjectHandler;
}

/** The routes of objects; the same for every kind that clients write. A GET answers HEAD as well. */
const routes: readonly ObjectRoute[] = [
  { method: "GET", path: "", verb: "list", handlerFor: listObjects },
  { method: "POST", path: "", verb: "create", handlerFor: createObject },
  { method: "GET", path: "/:name", verb: "get", handlerFor: getObject },
  { method: "PUT", path: "/:name", verb: "update", handlerFor: applyObject },
  { method: "PATCH", path: "/:name", verb: "patch", handlerFor: patchObject },
  { method: "DELETE", path: "/:name", verb: "delete", handlerFor: deleteObject },
  { method: "GET", path: "/:name/status", verb: "get", handlerFor: getObject },
  { method: "PUT", path: "/:name/status", verb: "update-status", handlerFor: writeStatus },
];

/** Of a kind that only the server writes: they are read, and they are deleted. */
const serverMadeRoutes = routes.filter(
  ({ path, verb }) => path !== "/:name/status" && ["list", "get", "delete"].includes(verb),
);

export function addObjectRoutes(app: FastifyInstance, kinds: readonly Kind[], api: ObjectApi): void {
  for (const kind of kinds) {
    for (const { method, path, verb, handlerFor } of kind.serverMade ? serverMadeRoutes : routes) {
      app.route<{ Params: { name: string } }>({
        method,
        url: `/api/v1/${kind.plural}${path}`,
        config: { action: { verb, kind } },
        handler: handlerFor(api, kind),
      });
    }
  }
}
