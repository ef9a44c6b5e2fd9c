import { placementName, WorkloadPlacement } from "@bowline/api";
import { expect, onTestFinished, test } from "vitest";

import { watchCluster } from "./cluster-watch.ts";
import { addEditor, giveGrant, resourcesOf, type Editor } from "./editors.ts";
import { clusterName } from "./people.ts";
import type { Topic } from "./topic.ts";

const group = "bowline:team";
const kubernetes = { groups: [group] };

const configMap = (name: string, namespace: string, data = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace },
  data,
});

const listOf = (...items: object[]): string => JSON.stringify({ apiVersion: "v1", kind: "List", items });

const role = (kind: string, metadata: object): object => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind,
  metadata,
  rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
});

/** Everything that somebody might want, in one manifest. */
const everything = listOf(
  configMap("settings", "team"),
  configMap("settings", "other"),
  role("Role", { name: "helper", namespace: "team" }),
  role("ClusterRole", { name: "helper" }),
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "third" } },
);

/** How many objects are applied in the rollout that is stopped. */
const total = 800;

/** Workloads of somebody who may do little in the cluster. */
export const rightsTopic: Topic = (stage) => {
  /** A namespace in which the group may do what the cluster's own role `edit` lets it. */
  const openNamespace = async (name: string): Promise<void> => {
    const { cluster } = stage();
    await cluster.kubectl(["create", "namespace", name]);
    const binding = ["create", "rolebinding", "team", "--clusterrole=edit", `--group=${group}`];
    await cluster.kubectl(["--namespace", name, ...binding]);
  };
  const deploy = (editor: Editor, name: string, manifests: string) =>
    editor.tried(["deploy", "-", "--name", name, "--cluster", clusterName], manifests);
  const remove = async (editor: Editor, name: string): Promise<void> => {
    await editor.bowline(["delete", `wi/${name}`, `wd/${name}`]);
  };

  test("a grant for a namespace, and the cluster's own rules, let through what they cover; the rest is told one by one", async () => {
    const { cluster } = stage();
    await openNamespace("team");
    await cluster.kubectl(["create", "namespace", "other"]);
    const member = await addEditor(stage(), "member", { kubernetes, namespaces: ["team"] });
    const stranger = await addEditor(stage(), "stranger", { kubernetes });
    expect(await deploy(member, "limited", everything)).toMatchObject({ code: 0 });
    await expect
      .poll(() => resourcesOf(member.client, "limited"))
      .toEqual({
        "ConfigMap team/settings": ["applied", undefined, undefined],
        "ConfigMap other/settings": [
          "failed",
          "NotGranted",
          expect.stringContaining("in the namespace other"),
        ],
        "Role team/helper": ["failed", "Forbidden", expect.stringContaining('cannot patch resource "roles"')],
        "ClusterRole helper": ["failed", "NotGranted", expect.any(String)],
        "Namespace third": ["failed", "NotGranted", expect.any(String)],
      });
    await remove(member, "limited");

    // Without a limit in the grant it is the cluster that refuses.
    expect(await deploy(stranger, "refused", everything)).toMatchObject({ code: 0 });
    await expect
      .poll(() => resourcesOf(stranger.client, "refused"))
      .toEqual({
        "ConfigMap team/settings": ["applied", undefined, undefined],
        "ConfigMap other/settings": [
          "failed",
          "Forbidden",
          expect.stringContaining(
            'User "stranger" cannot patch resource "configmaps" in API group "" in the namespace "other"',
          ),
        ],
        "Role team/helper": ["failed", "Forbidden", expect.any(String)],
        "ClusterRole helper": ["failed", "Forbidden", expect.any(String)],
        "Namespace third": ["failed", "Forbidden", expect.any(String)],
      });
    const found = await cluster.kubectl([
      "get",
      "configmaps",
      "-A",
      "-l",
      "bowline.dev/instance=refused",
      "-o",
      "name",
    ]);
    expect(found).toBe("configmap/settings\n");
    await remove(stranger, "refused");
  });

  test("a grant that is taken back in the middle of a rollout stops it; given again, it goes on", async () => {
    const { cluster, bowline, apiAudit } = stage();
    await openNamespace("pages");
    const namespaces = ["pages"];
    const leaver = await addEditor(stage(), "leaver", { kubernetes, namespaces });
    const pages = new Set<string>();
    const half = Promise.withResolvers<void>();
    const watch = await watchCluster(
      cluster,
      "/api/v1/namespaces/pages/configmaps",
      ({ object: { metadata } }) => {
        if (metadata.name.startsWith("page-") && pages.add(metadata.name).size === total / 4) half.resolve();
      },
    );
    onTestFinished(() => watch[Symbol.dispose]());
    const manifests = listOf(...Array.from({ length: total }, (_, n) => configMap(`page-${n}`, "pages")));
    expect(await deploy(leaver, "pages", manifests)).toMatchObject({ code: 0 });
    await half.promise;
    await bowline(["delete", "accessgrant/leaver"]);
    const revokedMs = Date.now();
    const applied = async () => {
      const { status } = await leaver.client.get(WorkloadPlacement, placementName("pages", clusterName));
      return status.conditions.find(({ type }) => type === "Applied");
    };
    await expect.poll(applied).toMatchObject({ status: "False", reason: "NotGranted" });
    const toldMs = Date.now();
    // That nothing comes any more shows only after a while.
    await expect.poll(() => Date.now() - toldMs).toBeGreaterThan(3_000);
    const left = pages.size;
    expect(left).toBeLessThan(total);
    const path = "/api/v1/namespaces/pages/configmaps/page-";
    const afterMs = (await apiAudit.requestsOf("leaver", path)).map((time) => time.getTime() - revokedMs);
    const lastMs = Math.max(...afterMs);
    console.info(
      `${left} of ${total} objects before the grant was gone; the last request ${lastMs} ms after it`,
    );
    expect(afterMs.length).toBeGreaterThanOrEqual(left);
    // Nothing is sent any more when that is told.
    expect(lastMs).toBeLessThan(toldMs - revokedMs);

    await giveGrant(stage(), "leaver", { kubernetes, namespaces });
    await expect.poll(applied).toMatchObject({ status: "True" });
    expect(pages.size).toBe(total);
    await remove(leaver, "pages");
  });
};
