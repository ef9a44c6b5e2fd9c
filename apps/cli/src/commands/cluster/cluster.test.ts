import { Cluster } from "@bowline/api";
import type { Client } from "@bowline/client";
import { readObject } from "@bowline/client/testing";
import { BowlineError } from "@bowline/core";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";

import { fakeContext } from "../../testing/fake-context.ts";
import { sampleObject } from "../../testing/sample-object.ts";
import { addCluster } from "./add.ts";
import { revokeAgents, rotateAgent } from "./agent-keys.ts";

const joinToken = {
  token: "bwj_secret",
  expiresAt: "2026-01-01T01:00:00.000Z",
  server: "https://bowline.example.com",
};
const flags = { expires: "1h", namespace: "bowline-system", rights: "tunnel", output: "yaml" } as const;

interface RecordingClient {
  /** Requests to the server, in order. */
  readonly calls: readonly (readonly [method: string, ...args: unknown[]])[];
  readonly client: Partial<Client>;
}

function clientWith(existing: object | undefined): RecordingClient {
  const calls: [string, ...unknown[]][] = [];
  const client: Partial<Client> = {
    get: async (kind) => {
      if (existing === undefined) throw new BowlineError("NotFound", "There is none.");
      return readObject(kind, existing);
    },
    apply: async (kind, name, body, options) => {
      calls.push(["apply", name, body, options?.ifNoneMatch]);
      return { outcome: "created", object: sampleObject(kind, name) };
    },
    patch: async (kind, name, patch) => {
      calls.push(["patch", name, patch]);
      return readObject(kind, existing);
    },
    createJoinToken: async (name, request) => {
      calls.push(["createJoinToken", name, request]);
      return joinToken;
    },
  };
  return { calls, client };
}

const anHour = ["createJoinToken", "prod", expect.objectContaining({ expiresInSeconds: 3_600 })];

describe("cluster add", () => {
  test("makes the Cluster and prints one manifest, with everything else on standard error", async () => {
    const { client, calls } = clientWith(undefined);
    const context = fakeContext({ client });
    await addCluster(context, "prod", { ...flags, labels: ["env=prod"], region: "eu-1" });
    const body = { metadata: { name: "prod", labels: { env: "prod" } }, spec: { region: "eu-1" } };
    expect(calls).toEqual([["apply", "prod", body, "*"], anHour]);
    const objects = parseAllDocuments(context.terminal.written).map((each): unknown => each.toJS());
    expect(objects).toHaveLength(10);
    expect(objects).toContainEqual(expect.objectContaining({ stringData: { token: "bwj_secret" } }));
    expect(context.terminal.written).toContain("image: bowline:1.2.3");
    expect(context.terminal.errors).toMatch(/^cluster\/prod created\n/u);
    expect(context.terminal.errors).not.toContain("bwj_secret");
  });

  test("goes on with a Cluster that waits for its agent, and changes no more of it than was asked", async () => {
    const { client, calls } = clientWith(sampleObject(Cluster, "prod"));
    await addCluster(fakeContext({ client }), "prod", flags);
    await addCluster(fakeContext({ client }), "prod", { ...flags, labels: ["env=prod"] });
    const patch = { metadata: { labels: { env: "prod" } }, spec: {} };
    expect(calls).toEqual([anHour, ["patch", "prod", patch], anHour]);
  });

  test("refuses one that has an agent, and makes no token", async () => {
    const existing = sampleObject(Cluster, "prod");
    const agent = { version: "1.2.3", lastSeenAt: "2026-01-01T00:00:00.000Z" };
    const { client, calls } = clientWith({ ...existing, status: { conditions: [], agent } });
    await expect(addCluster(fakeContext({ client }), "prod", flags)).rejects.toMatchObject({
      code: "AlreadyExists",
      message: expect.stringContaining("bowline cluster rotate prod"),
    });
    expect(calls).toEqual([]);
  });

  test.each([
    ["a name that is none", "A/b", {}],
    ["a label that is none", "prod", { labels: ["env"] }],
    ["a time that is too long", "prod", { expires: "1000h" }],
  ])("%s is refused before anything is made", async (_, name, change) => {
    const { client, calls } = clientWith(undefined);
    const adding = addCluster(fakeContext({ client }), name, { ...flags, ...change });
    await expect(adding).rejects.toMatchObject({ code: "InvalidArgument" });
    expect(calls).toEqual([]);
  });
});

test("cluster rotate prints the Secret alone, and what to do after it", async () => {
  const context = fakeContext(clientWith(undefined));
  await rotateAgent(context, "prod", { ...flags, namespace: "fleet", output: "json" });
  expect(JSON.parse(context.terminal.written)).toMatchObject({
    kind: "List",
    items: [{ kind: "Secret", metadata: { namespace: "fleet" }, stringData: { token: "bwj_secret" } }],
  });
  expect(context.terminal.errors).toContain("kubectl -n fleet rollout restart deployment/bowline-agent");
});

test("cluster revoke says what stopped working", async () => {
  const context = fakeContext({
    client: { revokeAgents: async () => ({ keys: 1, joinTokens: 2 }) },
  });
  await revokeAgents(context, ["a", "b"]);
  expect(context.terminal.written).toBe(
    "cluster/a revoked (1 key, 2 join tokens)\ncluster/b revoked (1 key, 2 join tokens)\n",
  );
});
