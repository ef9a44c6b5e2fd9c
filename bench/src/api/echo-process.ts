/**
 * The ceiling: a plain Fastify handler that validates the body with the schema of the kind and sends it back, or sends
 * back an object that it holds. Nothing that speaks JSON over HTTP in this runtime and framework does less.
 */
import { Cluster } from "@bowline/api";
import { fastify } from "fastify";

import { answerCommands } from "../measure-process.ts";
import { resourceUse } from "./resource-use.ts";

const app = fastify({ ajv: { customOptions: { strict: false } } });
let held: unknown;

app.post("/api/v1/clusters", { schema: { body: Cluster.schemas.write } }, (request, reply) =>
  reply.code(201).send(request.body),
);
app.get("/api/v1/clusters/:name", (_request, reply) => reply.send(held));

answerCommands({
  /** Takes the object to hold. */
  start: async (object: unknown): Promise<number> => {
    held = object;
    const address = await app.listen({ host: "127.0.0.1", port: 0 });
    return Number(new URL(address).port);
  },
  use: resourceUse,
});
