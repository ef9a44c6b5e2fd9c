export { apiTopics, contract, controllerTopics, kubectlTopics, type Topic, type Topics } from "./contract.ts";
export type { ContractTarget, RunningTarget } from "./target.ts";
