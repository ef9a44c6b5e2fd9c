export { arbitraryBody, arbitraryFor } from "./arbitrary-for.ts";
export { schemaCheck } from "./schema-check.ts";
