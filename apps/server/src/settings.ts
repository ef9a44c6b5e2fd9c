/** The table that the command line and the reference are made from. It loads nothing else of the server. */
export { serverSettings } from "./config/settings.ts";
