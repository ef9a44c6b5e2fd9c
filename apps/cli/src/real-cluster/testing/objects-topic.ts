import { busyboxImage } from "@bowline/test-cluster";
import { expect, test } from "vitest";

import { clusterName } from "./people.ts";
import type { Topic } from "./topic.ts";

const settings = (data: Readonly<Record<string, string>>): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data });

const web = JSON.stringify({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          { name: "web", image: busyboxImage, imagePullPolicy: "Never", command: ["sleep", "3600"] },
        ],
      },
    },
  },
});

/** Reading and writing objects. */
export const objectsTopic: Topic = (stage) => {
  const kubectl = (...args: string[]): Promise<string> => stage().operator.run(...args);

  test("get shows the objects of the cluster, as tables and as documents", async () => {
    const { cluster } = stage();
    expect(await kubectl("get", "nodes")).toMatch(/^NAME +STATUS .*\nnode-1 +Ready /u);
    const list = JSON.parse(await kubectl("get", "nodes", "-o", "json")) as { items: object[] };
    expect(list.items).toEqual([expect.objectContaining({ kind: "Node" })]);
    expect(JSON.parse(await kubectl("version", "-o", "json"))).toMatchObject({
      serverVersion: { gitVersion: cluster.version },
    });
    expect((await stage().operator.tried(["get", "pod", "nobody"])).error).toBe(
      'Error from server (NotFound): pods "nobody" not found\n',
    );
  });

  test("api-resources and explain know what the cluster knows", async () => {
    const { cluster } = stage();
    const args = ["api-resources", "--no-headers", "--sort-by=name"];
    expect(await kubectl(...args)).toBe(await cluster.kubectl(args));
    expect(await kubectl("explain", "pod.spec.containers")).toContain("List of containers");
  });

  test("apply creates, changes and leaves alone", async () => {
    const { operator } = stage();
    const apply = (data: Readonly<Record<string, string>>): Promise<string> =>
      operator.piped(settings(data), "apply", "-f", "-");
    expect(await apply({ color: "red", size: "1" })).toBe("configmap/settings created\n");
    expect(await apply({ color: "red", size: "1" })).toBe("configmap/settings unchanged\n");
    expect(await apply({ color: "blue" })).toBe("configmap/settings configured\n");
    expect(await kubectl("get", "configmap/settings", "-o", "jsonpath={.data}")).toBe('{"color":"blue"}');
    const place = (await operator.minorVersion()) >= 34 ? " from default namespace" : "";
    expect(await kubectl("delete", "configmap/settings")).toBe(`configmap "settings" deleted${place}\n`);
  });

  test("apply --server-side tells who owns a field", async () => {
    const { operator } = stage();
    const apply = (color: string, manager: string) =>
      operator.tried(["apply", "--server-side", "--field-manager", manager, "-f", "-"], {
        input: settings({ color }),
      });
    expect(await apply("red", "painter")).toMatchObject({ code: 0 });
    const contested = await apply("blue", "decorator");
    expect(contested.code).toBe(1);
    expect(contested.error).toContain('conflict with "painter": .data.color');
    await kubectl("delete", "configmap/settings");
  });

  test("patch changes what it names, in each of its languages", async () => {
    await stage().operator.piped(settings({ color: "red" }), "create", "-f", "-");
    const patches = {
      merge: { data: { color: "green", size: "1" } },
      strategic: { metadata: { labels: { app: "shop" } } },
      json: [{ op: "remove", path: "/data/size" }],
    };
    for (const [type, patch] of Object.entries(patches)) {
      await kubectl("patch", "configmap/settings", "--type", type, "--patch", JSON.stringify(patch));
    }
    const fields = "jsonpath={.data} {.metadata.labels}";
    expect(await kubectl("get", "configmap/settings", "-o", fields)).toBe('{"color":"green"} {"app":"shop"}');
    await kubectl("delete", "configmap/settings");
  });

  test("rollout status, scale, wait and delete follow a Deployment until it is as wanted", async () => {
    await stage().operator.piped(web, "apply", "-f", "-");
    expect(await kubectl("rollout", "status", "deployment/web", "--timeout=150s")).toContain(
      "successfully rolled out",
    );
    await kubectl("scale", "deployment/web", "--replicas=2");
    expect(await kubectl("rollout", "status", "deployment/web", "--timeout=150s")).toContain(
      "successfully rolled out",
    );
    expect(await kubectl("wait", "pod", "-l", "app=web", "--for=condition=Ready", "--timeout=150s")).toMatch(
      /^pod\/web-\S+ condition met\n/u,
    );
    await kubectl("delete", "deployment/web", "--cascade=foreground");
    expect(await kubectl("get", "pods", "-l", "app=web", "-o", "name")).toBe("");
  });

  test("the proxy of the API server leads to a pod", async () => {
    const { operator } = stage();
    // Up to 1.33, kubectl takes what follows --raw for a path from the root of the server.
    const root = (await operator.minorVersion()) >= 34 ? "" : `/clusters/${clusterName}`;
    const path = `${root}/api/v1/namespaces/default/pods/echo:8080/proxy/`;
    expect(await operator.piped("hello", "create", "--raw", path, "-f", "-")).toContain("hello");
  });

  test("auth can-i tells what the grant is worth", async () => {
    const { operator, viewer } = stage();
    expect(await operator.run("auth", "can-i", "delete", "nodes")).toBe("yes\n");
    expect(await viewer.run("auth", "can-i", "list", "pods")).toBe("yes\n");
    const denied = await viewer.tried(["auth", "can-i", "delete", "pods"]);
    expect({ code: denied.code, out: denied.out.toString() }).toEqual({ code: 1, out: "no\n" });
  });

  test("what was done is in the audit log of the server", async () => {
    const { bowline, operator, viewer } = stage();
    await operator.run("create", "configmap", "audited");
    await viewer.tried(["delete", "configmap/audited"]);
    await operator.run("delete", "configmap/audited");
    // Records are written in batches, a moment later.
    const records = async (user: string): Promise<unknown> =>
      JSON.parse((await bowline(["audit", "--user", user, "--limit", "500", "-o", "json"])).out);
    const expected = (user: string, verb: string, outcome: string): unknown =>
      expect.objectContaining({
        verb: "proxy",
        name: clusterName,
        outcome,
        proxy: expect.objectContaining({ verb, resource: "configmaps", name: "audited", user }),
      });
    await expect.poll(() => records("operator")).toContainEqual(expected("operator", "delete", "allowed"));
    await expect.poll(() => records("viewer")).toContainEqual(expected("viewer", "delete", "denied"));
  });
};
