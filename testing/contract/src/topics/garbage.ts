import { resources, type OwnerReference } from "@bowline/kube";
import { describe, expect, it } from "vitest";

import { configMap, type ConfigMap } from "../objects.ts";
import { sandbox, type Sandbox } from "../sandbox.ts";
import type { RunningTarget } from "../target.ts";
import { untilGone, untilIs } from "../until.ts";

const { configMaps, namespaces } = resources;

/** What happens to the objects of a deleted owner. This is a controller's work. */
export function garbageContract(cluster: () => RunningTarget): void {
  describe("dependents", () => {
    it("go after their owner in the background", async () => {
      const space = await sandbox(cluster());
      await family(space);
      await remove(space, "Background");
      await untilGone({ ...space, resource: configMaps, name: "owner" });
      await untilGone({ ...space, resource: configMaps, name: "child" });
      await untilGone({ ...space, resource: configMaps, name: "grandchild" });
      expect(await left(space)).toEqual([]);
    });

    it("go before their owner in the foreground", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      const [, child] = await family(space);
      const held = { metadata: { finalizers: ["example.com/hold"] } };
      await client.patch(configMaps, held, { namespace, name: child.metadata.name ?? "", type: "merge" });
      await remove(space, "Foreground");
      await untilIs({ ...space, resource: configMaps, name: "child" }, isGoing);
      const owner = await client.get(configMaps, { namespace, name: "owner" });
      expect(owner.metadata.finalizers).toEqual(["foregroundDeletion"]);
      await client.patch(
        configMaps,
        { metadata: { finalizers: null } },
        { namespace, name: "child", type: "merge" },
      );
      await untilGone({ ...space, resource: configMaps, name: "owner" });
    });

    it("stay as orphans when asked", async () => {
      const space = await sandbox(cluster());
      await family(space);
      await remove(space, "Orphan");
      await untilGone({ ...space, resource: configMaps, name: "owner" });
      const child = await space.client.get(configMaps, { namespace: space.namespace, name: "child" });
      expect(child.metadata.ownerReferences ?? []).toEqual([]);
      expect(child.metadata).not.toHaveProperty("deletionTimestamp");
    });

    it("of an owner that never existed go too", async () => {
      const space = await sandbox(cluster());
      const owner = {
        apiVersion: "v1",
        kind: "ConfigMap",
        name: "ghost",
        uid: "11111111-1111-4111-8111-111111111111",
      };
      await space.client.create(
        configMaps,
        configMap({ namespace: space.namespace, name: "a", ownerReferences: [owner] }),
      );
      await untilGone({ ...space, resource: configMaps, name: "a" });
      expect(await left(space)).toEqual([]);
    });

    it("stay while one of two owners is left", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      const one = await client.create(configMaps, configMap({ namespace, name: "one" }));
      const two = await client.create(configMaps, configMap({ namespace, name: "two" }));
      const ownerReferences = [ownerOf(one), ownerOf(two)];
      await client.create(configMaps, configMap({ namespace, name: "child", ownerReferences }));
      await client.delete(configMaps, { namespace, name: "one", propagationPolicy: "Background" });
      const child = await untilIs<ConfigMap>(
        { ...space, resource: configMaps, name: "child" },
        ({ metadata }) => metadata.ownerReferences?.length === 1,
      );
      expect(child.metadata.ownerReferences).toMatchObject([{ name: "two" }]);
    });
  });

  it("a deleted namespace is emptied, and then it is gone", async () => {
    const space = await sandbox(cluster());
    const { client, namespace } = space;
    await client.create(configMaps, configMap({ namespace, name: "a", finalizers: ["example.com/hold"] }));
    const going = await client.delete(namespaces, { name: namespace });
    expect(going).toMatchObject({ status: { phase: "Terminating" } });
    await untilIs({ ...space, resource: configMaps, name: "a" }, isGoing);
    await expect(client.create(configMaps, configMap({ namespace, name: "late" }))).rejects.toMatchObject({
      code: "Forbidden",
      message: expect.stringContaining("because it is being terminated"),
    });
    await client.patch(
      configMaps,
      { metadata: { finalizers: null } },
      { namespace, name: "a", type: "merge" },
    );
    await untilGone({ client, resource: namespaces, name: namespace });
  });
}

async function left({ client, namespace }: Sandbox): Promise<unknown[]> {
  const list = await client.list(configMaps, { namespace, fieldSelector: "metadata.name!=kube-root-ca.crt" });
  return list.items.map(({ metadata }) => metadata.name);
}

function isGoing(object: { metadata: { deletionTimestamp?: string } }): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

async function family({ client, namespace }: Sandbox): Promise<[ConfigMap, ConfigMap, ConfigMap]> {
  const owner = await client.create(configMaps, configMap({ namespace, name: "owner" }));
  const child = await client.create(
    configMaps,
    configMap({ namespace, name: "child", ownerReferences: [ownerOf(owner)] }),
  );
  const ownerReferences = [ownerOf(child)];
  const grandchild = await client.create(
    configMaps,
    configMap({ namespace, name: "grandchild", ownerReferences }),
  );
  return [owner, child, grandchild];
}

function ownerOf({ metadata }: ConfigMap): OwnerReference {
  const { name = "", uid = "" } = metadata;
  return { apiVersion: "v1", kind: "ConfigMap", name, uid, blockOwnerDeletion: true };
}

async function remove(
  { client, namespace }: Sandbox,
  propagationPolicy: "Background" | "Foreground" | "Orphan",
): Promise<void> {
  await client.delete(configMaps, { namespace, name: "owner", propagationPolicy });
}
