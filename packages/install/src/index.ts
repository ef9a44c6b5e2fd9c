export { chartFiles, type ChartOptions } from "./chart/chart-files.ts";
export { installationObjects } from "./installation-objects.ts";
export type { Release } from "./template/expression.ts";
export { parseValues, type InstallationValues, type ServerSettings } from "./values/parse-values.ts";
export { composeFile, type ComposeOptions } from "./compose/compose-file.ts";
export { givenValues, type GivenValues } from "./values/given-values.ts";
export { valuesFile } from "./chart/values-file.ts";
export { valuesSchemaFile } from "./chart/values-schema-file.ts";
