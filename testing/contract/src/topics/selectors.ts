import { resources, type KubeList } from "@bowline/kube";
import { describe, expect, it } from "vitest";

import { configMap, pod } from "../objects.ts";
import { sandbox, type Sandbox } from "../sandbox.ts";
import type { RunningTarget } from "../target.ts";

const { configMaps, pods } = resources;

export function selectorsContract(cluster: () => RunningTarget): void {
  describe("label selectors", () => {
    it.each([
      ["app=web", ["web-1", "web-2"]],
      ["app==web", ["web-1", "web-2"]],
      ["app!=web", ["db", "none"]],
      ["app in (web,db)", ["db", "web-1", "web-2"]],
      ["app notin (web)", ["db", "none"]],
      ["app", ["db", "web-1", "web-2"]],
      ["!app", ["none"]],
      ["n>1", ["web-2"]],
      ["n<2", ["web-1"]],
      ["app=web,n=2", ["web-2"]],
      ["app in (web), n notin (2)", ["web-1"]],
      ["app=", []],
    ])("%s", async (selector, expected) => {
      const space = await labelledSpace(cluster());
      const { client, namespace } = space;
      const list = await client.list(configMaps, { namespace, labelSelector: selector, fieldSelector: ours });
      expect(names(list)).toEqual(expected);
    });

    it("as the client writes them", async () => {
      const { client, namespace } = await labelledSpace(cluster());
      const selected = async (selector: string): Promise<string[]> =>
        names(await client.list(configMaps, { namespace, labelSelector: selector, fieldSelector: ours }));
      expect(await selected("app=web,n=1")).toEqual(["web-1"]);
      expect(await selected("app notin (web,db)")).toEqual(["none"]);
      expect(await selected("!n")).toEqual(["db", "none"]);
    });

    it("must make sense", async () => {
      const { client, namespace } = await sandbox(cluster());
      await expect(client.list(configMaps, { namespace, labelSelector: "a in (" })).rejects.toMatchObject({
        code: "BadRequest",
      });
    });
  });

  describe("field selectors", () => {
    it("choose by name", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      await createNamed(space, ["a", "b"]);
      const chosen = async (selector: string): Promise<string[]> =>
        names(
          await client.list(configMaps, { namespace, labelSelector: "contract", fieldSelector: selector }),
        );
      expect(await chosen("metadata.name=a")).toEqual(["a"]);
      expect(await chosen("metadata.name!=a")).toEqual(["b"]);
      expect(await chosen("metadata.name=a,metadata.name=b")).toEqual([]);
    });

    it("choose by namespace across all of them", async () => {
      const space = await sandbox(cluster());
      await createNamed(space, ["a"]);
      await createNamed(await sandbox(cluster()), ["a"]);
      const list = await space.client.list(configMaps, {
        labelSelector: "contract",
        fieldSelector: `metadata.namespace=${space.namespace}`,
      });
      expect(list.items.map((item) => item.metadata.namespace)).toEqual([space.namespace]);
    });

    it("choose pods by node and phase", async () => {
      const { client, namespace } = await sandbox(cluster());
      await client.create(pods, pod({ namespace, name: "bound" }, { nodeName: "elsewhere" }));
      await client.create(pods, pod({ namespace, name: "waiting" }, { nodeSelector: { nowhere: "at-all" } }));
      const chosen = async (fieldSelector: string): Promise<string[]> =>
        names(await client.list(pods, { namespace, fieldSelector }));
      expect(await chosen("spec.nodeName=elsewhere")).toEqual(["bound"]);
      expect(await chosen("spec.nodeName=")).toEqual(["waiting"]);
      expect(await chosen("status.phase=Pending")).toEqual(["bound", "waiting"]);
      expect(await chosen("status.phase!=Pending")).toEqual([]);
      expect(await chosen("spec.restartPolicy=Always,metadata.name!=bound")).toEqual(["waiting"]);
    });

    it("refuse fields that are not indexed", async () => {
      const { client, namespace } = await sandbox(cluster());
      await expect(client.list(configMaps, { namespace, fieldSelector: "data.key=1" })).rejects.toMatchObject(
        {
          code: "BadRequest",
          message: expect.stringContaining(
            '"data.key" is not a known field selector: only "metadata.name", "metadata.namespace"',
          ),
          details: { httpStatus: 400 },
        },
      );
      await expect(client.list(pods, { namespace, fieldSelector: "spec.priority=1" })).rejects.toMatchObject({
        code: "BadRequest",
        message: expect.stringContaining("field label not supported: spec.priority"),
      });
      await expect(client.list(configMaps, { namespace, fieldSelector: "nonsense" })).rejects.toMatchObject({
        code: "BadRequest",
      });
    });
  });
}

/** Real namespaces come with a ConfigMap of their own. */
const ours = "metadata.name!=kube-root-ca.crt";

async function labelledSpace(cluster: RunningTarget): Promise<Sandbox> {
  const space = await sandbox(cluster);
  const { client, namespace } = space;
  const labelled: [string, Record<string, string>][] = [
    ["db", { app: "db" }],
    ["none", {}],
    ["web-1", { app: "web", n: "1" }],
    ["web-2", { app: "web", n: "2" }],
  ];
  for (const [name, labels] of labelled) {
    await client.create(configMaps, configMap({ namespace, name, labels }));
  }
  return space;
}

async function createNamed({ client, namespace }: Sandbox, list: readonly string[]): Promise<void> {
  for (const name of list) {
    await client.create(configMaps, configMap({ namespace, name, labels: { contract: name } }));
  }
}

function names(list: KubeList): string[] {
  return list.items.map((item) => item.metadata.name ?? "");
}
