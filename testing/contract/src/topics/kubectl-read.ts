import { stripVTControlCharacters } from "node:util";

import { resources, type KubeList } from "@bowline/kube";
import { describe, expect, it } from "vitest";

import { workbench } from "../kubectl/workbench.ts";
import { configMap, pod } from "../objects.ts";
import type { RunningTarget } from "../target.ts";
import { installWidgets, widget } from "../widgets.ts";

const { configMaps, coreEvents, pods } = resources;

/** `kubectl` commands that look and do not touch. */
export function kubectlReadContract(cluster: () => RunningTarget): void {
  describe("get", () => {
    it("prints a table", async () => {
      await using bench = await workbench(cluster());
      const { client, namespace, kubectl } = bench;
      await client.create(pods, pod({ namespace, name: "web" }, { nodeSelector: { nowhere: "at-all" } }));
      const lines = rows(await kubectl.ok("get pods"));
      expect(lines[0]).toEqual(["NAME", "READY", "STATUS", "RESTARTS", "AGE"]);
      expect(lines[1]?.slice(0, 4)).toEqual(["web", "0/1", "Pending", "0"]);
      expect(await kubectl.ok("get po -o wide")).toMatch(
        /^NAME +READY .* IP +NODE +NOMINATED NODE +READINESS GATES/,
      );
      expect(await kubectl.ok("get pods --show-labels --no-headers")).toMatch(/^web .* <none>\n$/);
    });

    it("prints objects as JSON, YAML, names and columns", async () => {
      await using bench = await workbench(cluster());
      const { client, namespace, kubectl } = bench;
      await client.create(configMaps, configMap({ namespace, name: "a" }, { key: "value" }));
      expect(await kubectl.json("get cm a")).toMatchObject({
        kind: "ConfigMap",
        data: { key: "value" },
      });
      expect(await kubectl.ok("get cm/a -o yaml")).toMatch(
        /^apiVersion: v1\ndata:\n {2}key: value\nkind: ConfigMap\n/,
      );
      expect(await kubectl.ok("get configmap a -o name")).toBe("configmap/a\n");
      expect(await kubectl.ok("get cm a -o jsonpath={.data.key}")).toBe("value");
      const columns = await kubectl.ok("get cm a -o custom-columns=N:.metadata.name,K:.data.key");
      expect(rows(columns)).toEqual([
        ["N", "K"],
        ["a", "value"],
      ]);
    });

    it("chooses by label, by field, by name, and across namespaces", async () => {
      await using bench = await workbench(cluster());
      const { client, namespace, kubectl } = bench;
      for (const name of ["a", "b", "c"]) {
        await client.create(
          configMaps,
          configMap({ namespace, name, labels: { only: name, contract: namespace } }),
        );
      }
      const names = async (...args: string[]): Promise<string[]> =>
        (await kubectl.ok(["get", "cm", "-o", "name", ...args])).trim().split("\n");
      expect(await names("-l", "only in (a, b)")).toEqual(["configmap/a", "configmap/b"]);
      expect(await names("-l", `contract=${namespace}`, "--field-selector", "metadata.name!=b")).toEqual([
        "configmap/a",
        "configmap/c",
      ]);
      expect(await names("c", "a")).toEqual(["configmap/c", "configmap/a"]);
      expect(await names("-l", "only", "--chunk-size", "1")).toHaveLength(3);
      const everywhere = rows(await kubectl.ok(["get", "cm", "-A", "-l", `contract=${namespace}`]));
      expect(everywhere[0]?.slice(0, 2)).toEqual(["NAMESPACE", "NAME"]);
      expect(everywhere.slice(1).map(([where, name]) => `${where}/${name}`)).toEqual([
        `${namespace}/a`,
        `${namespace}/b`,
        `${namespace}/c`,
      ]);
    });

    it("takes several kinds at once, and sorts", async () => {
      await using bench = await workbench(cluster());
      const { client, namespace, kubectl } = bench;
      await client.create(configMaps, configMap({ namespace, name: "a", labels: { n: "2" } }));
      await client.create(configMaps, configMap({ namespace, name: "b", labels: { n: "1" } }));
      await client.create(pods, pod({ namespace, name: "p", labels: { n: "3" } }));
      const mixed = await kubectl.json<KubeList>("get pods,configmaps -l n");
      expect(mixed.items.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([
        "Pod/p",
        "ConfigMap/a",
        "ConfigMap/b",
      ]);
      const sorted = await kubectl.ok("get cm -l n --sort-by .metadata.labels.n --no-headers");
      expect(rows(sorted).map(([name]) => name)).toEqual(["b", "a"]);
    });

    it("says what is missing", async () => {
      await using bench = await workbench(cluster());
      const { kubectl, namespace } = bench;
      expect(await kubectl.refused("get pod nope")).toContain(
        'Error from server (NotFound): pods "nope" not found',
      );
      expect(await kubectl.refused("get teapots")).toContain(
        `the server doesn't have a resource type "teapots"`,
      );
      expect((await kubectl.run("get pods")).stderr).toContain(
        `No resources found in ${namespace} namespace.`,
      );
      expect(await kubectl.refused("get cm --field-selector data.a=1")).toContain(
        "Error from server (BadRequest)",
      );
    });

    it("watches", async () => {
      await using bench = await workbench(cluster());
      const { client, namespace, kubectl } = bench;
      await client.create(configMaps, configMap({ namespace, name: "a" }));
      await using followed = kubectl.follow("get cm --watch --output-watch-events");
      await followed.line(/^ADDED +a /);
      await client.create(configMaps, configMap({ namespace, name: "b" }));
      await followed.line(/^ADDED +b +0 /);
      await client.patch(configMaps, { data: { key: "value" } }, { namespace, name: "b", type: "merge" });
      await followed.line(/^MODIFIED +b +1 /);
      await client.delete(configMaps, { namespace, name: "a" });
      expect(await followed.line(/^DELETED/)).toMatch(/^DELETED +a /);
    });

    it("prints custom resources by their own columns", async () => {
      await using bench = await workbench(cluster());
      const { client, namespace, kubectl } = bench;
      const widgets = await installWidgets(client);
      await client.create(widgets.ref, widget(widgets, { namespace, name: "a" }, { size: 7 }));
      const lines = rows(await kubectl.ok(["get", `widgets.${widgets.group}`]));
      expect(lines[0]).toEqual(["NAME", "SIZE", "PHASE", "AGE"]);
      expect(lines[1]?.slice(0, 2)).toEqual(["a", "7"]);
      expect(rows(await kubectl.ok(["get", `wd.${widgets.group}`, "-o", "wide"]))[0]).toEqual([
        "NAME",
        "SIZE",
        "PHASE",
        "COLOR",
        "AGE",
      ]);
    });
  });

  describe("a description", () => {
    it("shows a pod with its events", async () => {
      await using bench = await workbench(cluster());
      const { client, namespace, kubectl } = bench;
      const made = await client.create(
        pods,
        pod({ namespace, name: "web" }, { nodeSelector: { nowhere: "at-all" } }),
      );
      const { uid } = made.metadata;
      await client.create(coreEvents, {
        apiVersion: "v1",
        kind: "Event",
        metadata: { namespace, name: "web.1" },
        involvedObject: { apiVersion: "v1", kind: "Pod", namespace, name: "web", uid },
        reason: "Contracted",
        message: "as agreed",
        type: "Normal",
        count: 1,
        source: { component: "contract" },
        firstTimestamp: "2024-05-01T10:00:00Z",
        lastTimestamp: "2024-05-01T10:00:00Z",
      });
      const text = await kubectl.ok("describe pod web");
      expect(text).toMatch(/^Name: +web$/m);
      expect(text).toMatch(/^Status: +Pending$/m);
      expect(text).toMatch(/^Node-Selectors: +nowhere=at-all$/m);
      expect(text).toMatch(/Image: +registry\.example\/web:1$/m);
      expect(text).toMatch(/Normal +Contracted .* contract +as agreed/);
    });

    it("shows other kinds, custom ones too", async () => {
      await using bench = await workbench(cluster());
      const { client, namespace, kubectl } = bench;
      const widgets = await installWidgets(client);
      await client.create(widgets.ref, widget(widgets, { namespace, name: "a" }, { size: 7 }));
      await client.create(configMaps, configMap({ namespace, name: "a" }, { key: "value" }));
      expect(await kubectl.ok("describe configmap a")).toMatch(/Data\n====\nkey:\n----\nvalue\n/);
      expect(await kubectl.ok(["describe", `widget.${widgets.group}`, "a"])).toMatch(
        /^Kind: +Widget$[^]*^ +Size: +7$/m,
      );
      expect(await kubectl.ok(["describe", "namespace", namespace])).toMatch(/^Status: +Active$/m);
    });
  });

  describe("the server", () => {
    it("lists its resources and versions", async () => {
      await using bench = await workbench(cluster());
      const { client, kubectl } = bench;
      const widgets = await installWidgets(client);
      const named = (await kubectl.ok("api-resources -o name")).split("\n");
      expect(named).toEqual(
        expect.arrayContaining(["pods", "deployments.apps", "leases.coordination.k8s.io"]),
      );
      expect(await kubectl.ok("api-resources")).toMatch(
        /^deployments +deploy +(apps\/v1|apps) +true +Deployment$/m,
      );
      expect(await kubectl.ok("api-resources --namespaced=false -o name")).toContain("nodes\n");
      expect(await kubectl.ok(["api-resources", "--api-group", widgets.group])).toMatch(
        /^widgets +wd .* true +Widget$/m,
      );
      const versions = (await kubectl.ok("api-versions")).split("\n");
      expect(versions).toEqual(
        expect.arrayContaining(["v1", "apps/v1", "events.k8s.io/v1", `${widgets.group}/v1`]),
      );
    });

    it("explains its fields", async () => {
      await using bench = await workbench(cluster());
      const { kubectl } = bench;
      const text = await kubectl.ok("explain pods.spec.containers");
      expect(text).toMatch(/^KIND: +Pod$/m);
      expect(text).toMatch(/^VERSION: +v1$/m);
      expect(text).toMatch(/^ +imagePullPolicy\s+<string>/m);
      expect(text).toMatch(/^ +name\s+<string> -required-/m);
      expect(await kubectl.ok("explain deployment.spec.replicas")).toMatch(/<integer>/);
      expect(await kubectl.refused("explain pods.spec.teapot")).toContain('field "teapot" does not exist');
    });

    it("explains custom resources", async () => {
      await using bench = await workbench(cluster());
      const { client, kubectl } = bench;
      const widgets = await installWidgets(client);
      const explain = ["explain", "widgets.spec", "--api-version", `${widgets.group}/v1`];
      // The server publishes new schemas a moment after it serves the kind.
      await expect.poll(async () => (await kubectl.run(explain)).stdout).toMatch(/How large the widget is/);
      const text = await kubectl.ok(explain);
      expect(text).toMatch(/^KIND: +Widget$/m);
      expect(text).toMatch(/^ +size\s+<integer> -required-/m);
    });

    it("tells its version and where it is", async () => {
      await using bench = await workbench(cluster());
      const { client, kubectl } = bench;
      const server = await client.requestJson<{ gitVersion: string }>({ method: "GET", path: "/version" });
      expect(await kubectl.json("version")).toMatchObject({
        serverVersion: { gitVersion: server.gitVersion },
      });
      expect(stripVTControlCharacters(await kubectl.ok("cluster-info"))).toContain(
        `is running at ${client.transport.target?.server}`,
      );
      expect(await kubectl.ok("get --raw /readyz")).toBe("ok");
    });

    it("says who may do what", async () => {
      await using bench = await workbench(cluster());
      const { kubectl } = bench;
      expect(await kubectl.ok("auth can-i delete pods")).toBe("yes\n");
      const refused = await kubectl.run("auth can-i delete pods --as auditor");
      expect(refused).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/^no/) });
      await kubectl.ok("create role reader --verb get,list --resource pods,deployments.apps");
      await kubectl.ok("create rolebinding auditor-reads --role reader --user auditor");
      await expect
        .poll(async () => (await kubectl.run("auth can-i list deployments.apps --as auditor")).stdout)
        .toBe("yes\n");
      expect(await kubectl.ok("auth can-i --list --as auditor")).toMatch(/^pods +\[\] +\[\] +\[get list\]$/m);
      expect(await kubectl.refused("get secrets --as auditor")).toContain(
        'Error from server (Forbidden): secrets is forbidden: User "auditor" cannot list resource "secrets"',
      );
    });
  });
}

/** A table as kubectl prints it, split where at least two blanks are. */
function rows(text: string): string[][] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.trimEnd().split(/\s{2,}/));
}
