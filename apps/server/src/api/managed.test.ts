import { Cluster, WorkloadDefinition, WorkloadInstance, type ManagedBy } from "@bowline/api";
import { describe, expect, test } from "vitest";

import { addressFor, errorOf, openTestApi } from "./testing/api-harness.ts";

const mark: ManagedBy = {
  configSource: "fleet",
  repository: "https://git.example.com/fleet.git",
  file: "clusters/a.yaml",
  commit: "0".repeat(40),
};
const metadata = (name: string) => ({ name, labels: {}, annotations: {} });
const sentence = `Cluster "a" comes from git: configsource/fleet writes it from clusters/a.yaml in https://git.example.com/fleet.git (commit ${mark.commit}). Change it there; with override it is done here all the same, and the next commit sets it right.`;

async function open() {
  const api = await openTestApi();
  const spec = { provider: "existing" as const, region: "eu-1" };
  await api.store.objects.create(Cluster, { metadata: metadata("a"), spec, managedBy: mark });
  return { ...api, address: addressFor(Cluster, "a") };
}

describe("an object that comes from git", () => {
  test("is not changed or deleted by hand, and the answer says where it comes from", async () => {
    const { call, store, address } = await open();
    const before = await store.objects.get(Cluster, "a");
    const refused = [
      await call("PUT", address, { body: { spec: { region: "eu-2" } } }),
      await call("PATCH", address, { body: { spec: { region: "eu-2" } } }),
      await call("PATCH", address, { body: { metadata: { labels: { env: "prod" } } } }),
      await call("PATCH", `${address}?dryRun=true`, { body: { metadata: { annotations: { note: "x" } } } }),
      await call("DELETE", address),
      await call("DELETE", `${address}?cascade=true`),
    ];
    for (const answer of refused) {
      expect(answer.status).toBe(409);
      expect(errorOf(answer)).toMatchObject({ code: "ManagedByGit", message: sentence });
    }
    expect(await store.objects.get(Cluster, "a")).toEqual(before);
  });

  test("may be written as it is, and its mark is nothing that a client writes", async () => {
    const { call, store, address } = await open();
    const { body } = await call("GET", address);
    expect(body).toMatchObject({ metadata: { managedBy: mark } });
    const same = await call("PUT", address, { body });
    expect(same).toMatchObject({ status: 200, headers: { "bowline-outcome": "unchanged" } });
    expect((await store.objects.get(Cluster, "a"))?.metadata.managedBy).toEqual(mark);
    await call("PUT", addressFor(Cluster, "b"), {
      body: { metadata: { name: "b", managedBy: mark }, spec: {} },
    });
    expect((await store.objects.get(Cluster, "b"))?.metadata.managedBy).toBeUndefined();
  });

  test("is changed with override, which is written down, and deleted", async () => {
    const { call, store, address } = await open();
    const changed = await call("PATCH", `${address}?override=true`, { body: { spec: { region: "eu-2" } } });
    expect(changed).toMatchObject({ status: 200, body: { spec: { region: "eu-2" } } });
    const { overriddenBy, ...rest } = (await store.objects.get(Cluster, "a"))?.metadata.managedBy ?? {};
    expect(rest).toEqual(mark);
    expect(overriddenBy).toBeDefined();
    expect((await call("DELETE", `${address}?override=true`)).status).toBe(200);
  });

  test("keeps others from being deleted with it by cascade", async () => {
    const { call, store } = await openTestApi();
    const source = { inline: { manifests: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}" } };
    await store.objects.create(WorkloadDefinition, {
      metadata: metadata("web"),
      spec: { source, parameters: [] },
    });
    const address = addressFor(WorkloadInstance, "web");
    await call("PUT", address, { body: { spec: { definition: "web", placement: { clusters: ["a"] } } } });
    await store.objects.write(WorkloadInstance, "web", (current) => {
      if (current === undefined) throw new Error("there is none");
      return { ...current, managedBy: mark };
    });
    const deleted = await call("DELETE", `${addressFor(WorkloadDefinition, "web")}?cascade=true`);
    expect(errorOf(deleted)).toMatchObject({ code: "ManagedByGit" });
    expect(await store.objects.get(WorkloadDefinition, "web")).toBeDefined();
    // Who approves looks at clusters, not at the repository.
    const revision = `sha256:${"1".repeat(64)}`;
    const approved = await call("PATCH", address, { body: { spec: { approved: { revision } } } });
    expect(approved).toMatchObject({ status: 200, body: { metadata: { managedBy: mark } } });
    expect((await call("PATCH", address, { body: { spec: { namespace: "x" } } })).status).toBe(409);
  });
});
