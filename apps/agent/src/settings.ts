/** The table that the command line and the reference are made from. It loads nothing else of the agent. */
export { agentSettings } from "./config/settings.ts";
