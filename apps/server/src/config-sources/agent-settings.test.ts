import { readFileSync } from "node:fs";
import { join } from "node:path";

import { asRecord } from "@bowline/core";
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

test("a commit changes what an agent is told, at once when it is read and without a poll", async () => {
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
  const ask = async (
    method: string,
    path: string,
    { body, expected = 201 }: { readonly body?: object; readonly expected?: number } = {},
  ): Promise<Record<string, unknown>> => {
    const token = server.adminToken ?? "";
    const sent = { ca, token, method, ...(body === undefined ? {} : { body }) };
    const answer = await send(`${server.url}/api/v1/${path}`, sent);
    expect([path, answer.status]).toEqual([path, expected]);
    return JSON.parse(answer.body);
  };
  const post = (path: string, body: object = {}) => ask("POST", path, { body });
  await post("clusters", { metadata: { name: "edge" }, spec: {} });
  const agent = new TestAgent({ url: server.url, ca });
  await agent.join(String((await post("clusters/edge/join-tokens"))["token"]));
  const session = await agent.open();
  expect(await session.next()).toMatchObject({ case: "config", value: { logLevel: "info" } });

  await repository.commit({ files: { "clusters/edge.yaml": edge } });
  const spec = { type: "tls", hosts: ["127.0.0.1"], data: { caPem: authority.cert } };
  await post("credentials", { metadata: { name: "git" }, spec });
  // Nobody looks again by themselves within this test.
  const source = { url: git.url(), credential: "git", path: "clusters", interval: "24h" };
  await post("configsources", { metadata: { name: "fleet" }, spec: { git: source, actsAs: "admin" } });
  expect(await session.next()).toMatchObject({ case: "config", value: { logLevel: "debug" } });

  const files = { "clusters/edge.yaml": edge.replace("debug", "warn") };
  const commit = await repository.commit({ files });
  await ask("POST", "configsources/fleet/resolve", { expected: 200 });
  expect(await session.next()).toMatchObject({ case: "config", value: { logLevel: "warn" } });
  const toldAtMs = Date.now();
  const appliedOf = async () =>
    asRecord(asRecord((await ask("GET", "configsources/fleet", { expected: 200 }))["status"])["applied"]);
  await expect.poll(async () => (await appliedOf())["commit"]).toBe(commit);
  const { at } = await appliedOf();
  console.log(`the agent was told ${toldAtMs - Date.parse(String(at))} ms after the commit was applied`);
});
