import { AccessGrant, WorkloadDefinition, WorkloadInstance, type Author } from "@bowline/api";
import { hasCode } from "@bowline/core";
import { resources, type KubeObject } from "@bowline/kube";
import { beforeEach, describe, expect, test } from "vitest";

import { editor, WorkloadHarness, type TestCluster } from "./testing/workload-harness.ts";

const { configMaps, namespaces } = resources;
const admin = { user: "admin", groups: ["system:masters"] };
const other: Author = { ...editor, user: "other" };
const operator: Author = { ...editor, user: "operator", role: "admin" };

const config = (name: string, value = "1", namespace = "default"): string =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: ${namespace}}, data: {a: "${value}"}}\n---\n`;

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

async function valueOf({ client }: TestCluster, name: string, namespace = "default"): Promise<unknown> {
  try {
    return (await client.get<ConfigMap>(configMaps, { namespace, name })).data?.["a"];
  } catch (error) {
    if (hasCode(error, "NotFound")) return undefined;
    throw error;
  }
}

let harness: WorkloadHarness;
let east: TestCluster;

/** `editor` may do everything, and has brought `web` to the cluster; `other` and `operator` may do nothing there. */
beforeEach(async () => {
  harness = await WorkloadHarness.open();
  east = await harness.addCluster("east");
  await harness.addUser("other");
  await harness.addUser("operator");
  await harness.define(config("one"));
  await harness.place(["east"]);
  await applied();
});

async function applied(): Promise<void> {
  await expect.poll(() => harness.condition("east")).toBe("True Applied");
}

const deleteAs = (author: Author) => harness.store.objects.delete(WorkloadInstance, "web", { author });
const instance = () => harness.store.objects.get(WorkloadInstance, "web");
async function isGone(): Promise<void> {
  await expect.poll(instance).toBeUndefined();
}
const reasonOf = async (): Promise<string | undefined> => (await instance())?.status.conditions[0]?.reason;
const messageOf = async (): Promise<string> => (await instance())?.status.conditions[0]?.message ?? "";
async function refused(): Promise<void> {
  await expect.poll(() => harness.condition("east")).toBe("False NotGranted");
}

describe("Nobody uses the rights of another editor", () => {
  test("by editing their instance", async () => {
    // It would act for them, with a definition that is not theirs.
    await harness.place(["east"], { author: other, namespace: "shop" });
    await expect.poll(reasonOf).toBe("WaitingForApproval");
    await harness.define(config("two"), { author: other });
    await refused();
    expect([await valueOf(east, "one"), await valueOf(east, "two")]).toEqual(["1", undefined]);
  });

  test("by changing their definition", async () => {
    await harness.define(config("one", "2") + config("two"), { author: other });
    await expect.poll(reasonOf).toBe("WaitingForApproval");
    // To agree to it is to write the instance, and then it acts for whoever agreed.
    const definition = await harness.store.objects.get(WorkloadDefinition, "shop");
    const revision = definition?.status.revision?.id ?? "";
    await harness.place(["east"], { author: other, approved: { revision } });
    await refused();
    expect([await valueOf(east, "one"), await valueOf(east, "two")]).toEqual(["1", undefined]);
  });

  test("by deleting their instance; it stays in deletion, and somebody with a grant can delete it again", async () => {
    await deleteAs(other);
    await refused();
    await expect.poll(reasonOf).toBe("NotGranted");
    expect(await messageOf()).toContain("It is to be removed for other, whom no AccessGrant lets into");
    expect(await messageOf()).toContain("delete it again: bowline delete wi/web");
    expect(await valueOf(east, "one")).toBe("1");
    // Admins have no grants by themselves.
    await deleteAs(operator);
    await expect.poll(messageOf).toContain("It is to be removed for operator");
    expect(await valueOf(east, "one")).toBe("1");
    await deleteAs(editor);
    await isGone();
    expect(await valueOf(east, "one")).toBeUndefined();
  });

  test("by taking a cluster out of their instance", async () => {
    await harness.addCluster("west");
    await harness.place(["west"], { author: other });
    await expect.poll(() => harness.condition("east")).toBe("False NotGranted");
    expect(await valueOf(east, "one")).toBe("1");
    await harness.place(["west"], { namespace: "shop" });
    await expect.poll(() => harness.placement("east")).toBeUndefined();
    expect(await valueOf(east, "one")).toBeUndefined();
  });
});

describe("What is deleted goes in the name of whoever deletes it", () => {
  test("with a grant of their own, and none of the author's", async () => {
    await harness.store.objects.delete(AccessGrant, "editor");
    await harness.grant("other", { kubernetes: admin });
    await deleteAs(other);
    await isGone();
    expect(await valueOf(east, "one")).toBeUndefined();
  });

  test("once they get a grant", async () => {
    await deleteAs(other);
    await refused();
    await harness.grant("other", { kubernetes: admin });
    await isGone();
    expect(await valueOf(east, "one")).toBeUndefined();
  });

  test("as far as their grants go; the rest is told object by object", async () => {
    await east.client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
    await harness.define(config("one") + config("two", "1", "shop"));
    await expect.poll(() => valueOf(east, "two", "shop")).toBe("1");
    await harness.grant("other", { kubernetes: admin, namespaces: ["shop"] });
    await deleteAs(other);
    await refused();
    await expect.poll(() => valueOf(east, "two", "shop")).toBeUndefined();
    expect(await valueOf(east, "one")).toBe("1");
    await expect.poll(messageOf).toContain("ConfigMap default/one");
    expect(await messageOf()).toContain("It is to be removed for other.");
  });

  test("retained objects need no more than before: whoever applied them lets go of them", async () => {
    await harness.place(["east"], { deletionPolicy: "retain" });
    await expect.poll(async () => (await harness.placement("east"))?.spec.deletionPolicy).toBe("retain");
    await deleteAs(other);
    await isGone();
    const kept = await east.client.get(configMaps, { namespace: "default", name: "one" });
    expect(kept.metadata.labels?.["bowline.dev/instance"]).toBeUndefined();
  });

  test("an admin deletes an instance that names somebody in that name, and nobody else does", async () => {
    await harness.place(["east"], { author: operator, actingUser: "editor" });
    await deleteAs(other);
    await refused();
    await deleteAs(operator);
    await isGone();
    expect(await valueOf(east, "one")).toBeUndefined();
  });
});

describe("A grant that ends", () => {
  const soonMs = 1_000;
  const soon = (): string => new Date(Date.now() + soonMs).toISOString();

  beforeEach(() => {
    harness.longestTimerMs = soonMs;
  });

  test("by its own time is told at that time, although nothing else happens", async () => {
    const expiresAt = soon();
    await harness.grant("editor", { kubernetes: admin, expiresAt });
    await refused();
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
    expect(await valueOf(east, "one")).toBe("1");
    await harness.grant("editor", { kubernetes: admin });
    await applied();
  });

  test("for one namespace is told by the objects in it, while another one is left", async () => {
    await east.client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
    await harness.define(config("one") + config("two", "1", "shop"));
    await expect.poll(() => valueOf(east, "two", "shop")).toBe("1");
    await applied();
    const expiresAt = soon();
    const metadata = { name: "shop", labels: {}, annotations: {} };
    const clusters = { names: ["east"] };
    const spec = {
      subjects: [{ user: "editor" }],
      clusters,
      kubernetes: admin,
      namespaces: ["shop"],
      expiresAt,
    };
    await harness.store.objects.create(AccessGrant, { metadata, spec });
    await harness.grant("editor", { kubernetes: admin, namespaces: ["default"] });
    await refused();
    const { conditions = [] } = (await harness.placement("east"))?.status ?? {};
    expect(conditions.map(({ message }) => message).join()).toContain(
      "No AccessGrant of editor in the cluster east covers ConfigMap shop/two; they stay as they are.",
    );
    await harness.grant("editor", { kubernetes: admin });
    await applied();
  });

  test("in the middle of a rollout stops it within a second, and what runs stays", async () => {
    const objects = 2_000;
    const sent = (): number =>
      east.requests.filter((line) => /^PATCH .*\/configmaps\/n\d/u.test(line)).length;
    await harness.define(Array.from({ length: objects }, (_, n) => config(`n${n}`)).join(""));
    await expect.poll(sent, { interval: 5 }).toBeGreaterThan(50);
    await harness.store.objects.delete(AccessGrant, "editor");
    const atOnce = sent();
    await refused();
    const atEnd = sent();
    // It had only begun: what was under way at that moment went on, and nothing else.
    expect(atEnd - atOnce).toBeLessThan(200);
    expect(atEnd).toBeLessThan(objects);
    expect(await valueOf(east, "n0")).toBe("1");
    expect(await valueOf(east, "one")).toBe("1");
    expect(sent()).toBe(atEnd);
  });
});
