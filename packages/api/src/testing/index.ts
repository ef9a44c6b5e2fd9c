export { arbitraryBody, arbitraryFor } from "./arbitrary-for.ts";
export { returnedObject } from "./samples.ts";
export { schemaCheck } from "./schema-check.ts";
export { workloadDefaults } from "./workload-defaults.ts";
