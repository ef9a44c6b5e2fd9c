export { identity, openTestAccess, type AccessHarness, type HarnessOptions } from "./access-harness.ts";
export { LocalIssuer } from "./local-issuer.ts";
