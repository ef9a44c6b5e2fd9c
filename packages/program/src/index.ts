export { createProgramLogger, logSettings, type LogValues } from "./program-logger.ts";
export {
  dataHome,
  settingsError,
  type SettingProblem,
  type SettingSources,
} from "./settings/setting-sources.ts";
export { resolveSettings, sourceOf, withShown, type SettingReport } from "./settings/resolve-settings.ts";
export { settingTable, type NamedSetting, type SettingTable } from "./settings/setting-table.ts";
export {
  address,
  choice,
  duration,
  exactUrl,
  integer,
  list,
  mapping,
  pairs,
  matching,
  namespaceName,
  onOff,
  path,
  size,
  text,
  urlList,
  webUrl,
} from "./settings/setting-types.ts";
export type { SettingType, ValuesOf } from "./settings/setting.ts";
export {
  startProgram,
  type ProgramOptions,
  type ProgramShell,
  type RunningProgram,
} from "./start-program.ts";
export { keepYoungGenerationSmall, type HeapTuning } from "./v8-flags.ts";
