export { addPlaces } from "./contract/inventory.ts";
export { tables } from "../engine/tables.ts";
export { postgresSchemas } from "./postgres-schemas.ts";
export { cluster, credential, definition, instance, placement } from "./sample-objects.ts";
export { openTestStore, testKey } from "./store-harness.ts";
export { clusterEvent, items } from "./sample-reports.ts";
