export { readObject } from "../read-answer.ts";
export { sampleCluster } from "./sample-cluster.ts";
export { TestAuthority, type TestCertificate } from "./test-authority.ts";
export { errorBody, sendJson, TestServer, type TestHandler, type TestRequest } from "./test-server.ts";
