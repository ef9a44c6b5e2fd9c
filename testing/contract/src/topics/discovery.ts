import { Discovery, resources } from "@bowline/kube";
import { describe, expect, it } from "vitest";

import { collectionPath } from "../collection-path.ts";
import { sandbox } from "../sandbox.ts";
import { minorVersion } from "../served-resource.ts";
import type { RunningTarget } from "../target.ts";
import { untilGone } from "../until.ts";
import { installWidgets, widgetVersion } from "../widgets.ts";

export function discoveryContract(cluster: () => RunningTarget): void {
  const discovery = (): Discovery => new Discovery(cluster().admin, { retryMissAfterMs: 0 });

  it("tells the version of the server", async () => {
    const version = await discovery().serverVersion();
    expect(version.major).toBe(1);
    expect(version.minor).toBeGreaterThanOrEqual(20);
    expect(version.gitVersion).toMatch(/^v1\.\d+\.\d+/);
  });

  it("knows the groups and their preferred versions", async () => {
    const { groups, failures } = await discovery().apis();
    const preferred = new Map(groups.map(({ name, versions }) => [name, versions[0]]));
    expect(failures).toEqual([]);
    expect(Object.fromEntries(preferred)).toMatchObject({
      "": "v1",
      apps: "v1",
      batch: "v1",
      "apiextensions.k8s.io": "v1",
      "authentication.k8s.io": "v1",
      "authorization.k8s.io": "v1",
      "coordination.k8s.io": "v1",
      "events.k8s.io": "v1",
      "networking.k8s.io": "v1",
      "rbac.authorization.k8s.io": "v1",
      "storage.k8s.io": "v1",
    });
  });

  it.each([
    ["po", "pods", ""],
    ["Pod", "pods", ""],
    ["pod", "pods", ""],
    ["cm", "configmaps", ""],
    ["ns", "namespaces", ""],
    ["events", "events", ""],
    ["events.events.k8s.io", "events", "events.k8s.io"],
    ["deploy", "deployments", "apps"],
    ["deployments.v1.apps", "deployments", "apps"],
    ["sts", "statefulsets", "apps"],
    ["crd", "customresourcedefinitions", "apiextensions.k8s.io"],
    ["ing", "ingresses", "networking.k8s.io"],
  ])("finds what %s means", async (name, plural, group) => {
    const found = await discovery().findName(name);
    expect(found).toMatchObject(group === "networking.k8s.io" ? { plural } : { plural, group });
  });

  it("finds a resource by its kind, with everything about it", async () => {
    expect(await discovery().findKind({ group: "apps", kind: "Deployment" })).toMatchObject({
      group: "apps",
      version: "v1",
      plural: "deployments",
      singular: expect.stringMatching(/^(deployment)?$/),
      namespaced: true,
      shortNames: ["deploy"],
      categories: ["all"],
      verbs: expect.arrayContaining([
        "create",
        "delete",
        "deletecollection",
        "get",
        "list",
        "patch",
        "update",
        "watch",
      ]),
      subresources: expect.arrayContaining(["scale", "status"]),
    });
    expect(await discovery().findKind({ group: "", kind: "Node" })).toMatchObject({ namespaced: false });
    expect(await discovery().findKind({ group: "apps", kind: "Teapot" })).toBeUndefined();
  });

  it("tells which kinds are deleted one by one, and the server refuses all at once", async () => {
    const { client, namespace } = await sandbox(cluster());
    const verbsOf = async (kind: string): Promise<readonly string[]> =>
      (await discovery().findKind({ group: "", kind }))?.verbs ?? [];
    expect(await verbsOf("Namespace")).not.toContain("deletecollection");
    // Services learned it with 1.23.
    const isOld = (await minorVersion(client)) < 23;
    expect((await verbsOf("Service")).includes("deletecollection")).toBe(!isOld);
    const path = collectionPath(
      isOld ? resources.services : resources.namespaces,
      isOld ? namespace : undefined,
    );
    await expect(client.requestJson({ method: "DELETE", path })).rejects.toMatchObject({
      message: expect.stringContaining("the server does not allow this method on the requested resource"),
      details: { httpStatus: 405 },
    });
  });

  it("agrees with the kinds the client knows by heart", async () => {
    const { resources: offered } = await discovery().apis();
    // Served as v1 since 1.21; the floor is 1.20.
    const newer = new Set(["cronjobs", "endpointslices", "poddisruptionbudgets"]);
    for (const known of Object.values(resources).filter(({ plural }) => !newer.has(plural))) {
      expect(offered).toContainEqual(expect.objectContaining({ ...known }));
    }
  });

  describe("custom resources", () => {
    it("appear with their definition and go with it", async () => {
      const { client } = await sandbox(cluster());
      const older = { ...widgetVersion, name: "v1beta1", storage: false };
      const widgets = await installWidgets(client, [older, widgetVersion]);
      const found = async (): Promise<unknown> => discovery().findName(`wd.${widgets.group}`);
      await expect.poll(found).toMatchObject({
        ...widgets.ref,
        singular: "widget",
        shortNames: ["wd"],
        categories: ["contract"],
        subresources: expect.arrayContaining(["scale", "status"]),
      });
      const { groups } = await discovery().apis();
      expect(groups).toContainEqual({ name: widgets.group, versions: ["v1", "v1beta1"] });
      const name = widgets.crdName;
      await client.delete(resources.customResourceDefinitions, { name });
      await untilGone({ client, resource: resources.customResourceDefinitions, name });
      await expect.poll(found).toBeUndefined();
    });
  });
}
