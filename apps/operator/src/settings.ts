export { operatorSettings, type OperatorSetting } from "./config/settings.ts";
