import { readFileSync } from "node:fs";
import { join } from "node:path";

import { TestAgent } from "@bowline/gateway/testing";
import { TestAuthority } from "@bowline/test-services/certificates";
import { GitHttpServer, TestRepository } from "@bowline/test-services/git";
import { expect, onTestFinished, test } from "vitest";

import { send } from "../run/testing/https-request.ts";
import { startTestServer, tempFolder } from "../run/testing/start-test-server.ts";

const edge = `apiVersion: bowline.dev/v1
kind: Cluster
metadata:
  name: edge
  labels: {stage: prod}
  annotations: {bowline.dev/adopt: "true"}
spec:
  agent: {logLevel: debug, observedNamespaces: [shop]}
`;

test("a commit changes what an agent is told", async () => {
  const served = join(await tempFolder(), "served");
  const repository = await TestRepository.create(served);
  const authority = await TestAuthority.create();
  const git = await GitHttpServer.start({
    folder: served,
    tls: await authority.issue({ commonName: "git" }),
  });
  onTestFinished(() => git[Symbol.asyncDispose]());
  const server = await startTestServer({ "--data": await tempFolder() });
  const ca = readFileSync(server.caFile ?? "", "utf8");
  const post = async (path: string, body: object = {}): Promise<Record<string, unknown>> => {
    const answer = await send(`${server.url}/api/v1/${path}`, {
      ca,
      token: server.adminToken ?? "",
      method: "POST",
      body,
    });
    expect([path, answer.status]).toEqual([path, 201]);
    return JSON.parse(answer.body);
  };
  await post("clusters", { metadata: { name: "edge" }, spec: {} });
  const agent = new TestAgent({ url: server.url, ca });
  await agent.join(String((await post("clusters/edge/join-tokens"))["token"]));
  const session = await agent.open();
  expect(await session.next()).toMatchObject({ case: "config", value: { logLevel: "info" } });

  await repository.commit({ files: { "clusters/edge.yaml": edge } });
  const spec = { type: "tls", hosts: ["127.0.0.1"], data: { caPem: authority.cert } };
  await post("credentials", { metadata: { name: "git" }, spec });
  const source = { url: git.url(), credential: "git", path: "clusters" };
  await post("configsources", { metadata: { name: "fleet" }, spec: { git: source, actsAs: "admin" } });
  expect(await session.next()).toMatchObject({ case: "config", value: { logLevel: "debug" } });
});
