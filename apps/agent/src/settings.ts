export { agentSettings, type AgentSetting } from "./config/settings.ts";
