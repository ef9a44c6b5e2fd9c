export { arbitraryBody, arbitraryFor } from "./arbitrary-for.ts";
export { schemaCheck, type SchemaCheck } from "./schema-check.ts";
