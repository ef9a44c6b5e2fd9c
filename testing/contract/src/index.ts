/** For suites of other folders that hold kubesim and the real API server to the same behaviour. */
export { contract } from "./contract.ts";
export { sandbox, uniqueName } from "./sandbox.ts";
export type { RunningTarget } from "./target.ts";
export { simulatedApiServer } from "./targets/kubesim.ts";
export { realApiServer } from "./targets/real.ts";
export { untilIs } from "./until.ts";
