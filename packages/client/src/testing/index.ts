export { readObject } from "../read-answer.ts";
export { sampleCluster } from "./sample-cluster.ts";
export { TestAuthority } from "./test-authority.ts";
export { errorBody, sendJson, TestServer, type TestHandler } from "./test-server.ts";
