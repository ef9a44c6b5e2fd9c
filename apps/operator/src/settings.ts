/** The table that the command line and the reference are made from. It loads nothing else of the operator. */
export { operatorSettings } from "./config/settings.ts";
