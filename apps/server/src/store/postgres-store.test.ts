import { startPostgres, type PostgresServer } from "@bowline/test-services";
import { afterAll, beforeAll } from "vitest";

import { PostgresSchemas } from "./testing/postgres-schemas.ts";
import { storeContract } from "./testing/store-contract.ts";

let server: PostgresServer;
let schemas: PostgresSchemas;

beforeAll(async () => {
  server = await startPostgres();
  schemas = await PostgresSchemas.connect(server.url);
});

afterAll(async () => {
  await schemas.close();
  await server.stop();
});

storeContract("PostgreSQL", {
  newDatabase: async () => ({ type: "postgres", url: await schemas.create() }),
  canReopen: true,
  canShare: true,
});
