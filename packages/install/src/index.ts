export { chartFiles } from "./chart/chart-files.ts";
export { valuesFile } from "./chart/values-file.ts";
export { valuesSchemaFile } from "./chart/values-schema-file.ts";
export { composeFile } from "./compose/compose-file.ts";
export { installationObjects } from "./installation-objects.ts";
/** @public The second argument of `installationObjects`. */
export type { Release } from "./template/expression.ts";
export { givenValues } from "./values/given-values.ts";
export {
  parseValues,
  valuesSchema,
  type InstallationValues,
  type ServerSettings,
} from "./values/parse-values.ts";
