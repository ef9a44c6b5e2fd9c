export type { PolicyDocument } from "./auth/policy.ts";
export { FakeAws } from "./fake-aws.ts";
export { addForgottenInterface, addLoadBalancer, addVolume } from "./workload-things.ts";
