/** What the command line and the reference are made from. It loads nothing else of the server. */
export { configFileSetting, namedSettings, type NamedSetting } from "./config/named-settings.ts";
