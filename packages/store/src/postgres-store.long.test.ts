import { postgresSchemas } from "./testing/postgres-schemas.ts";
import { storeContract } from "./testing/store-contract.ts";

const schemas = postgresSchemas();

storeContract("PostgreSQL", {
  newDatabase: async () => ({ type: "postgres", url: await schemas.create() }),
  canReopen: true,
  canShare: true,
});
