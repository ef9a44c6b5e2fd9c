import { resources } from "@bowline/kube";
import { describe, expect, it } from "vitest";

import type { Kubectl } from "../kubectl/kubectl.ts";
import { workbench } from "../kubectl/workbench.ts";
import { configMap, deployment, pod, type ConfigMap, type Workload } from "../objects.ts";
import type { RunningTarget } from "../target.ts";
import { untilIs } from "../until.ts";
import { installWidgets, widget } from "../widgets.ts";

const { configMaps, deployments, pods } = resources;
const fromStdin = ["-f", "-"];

/** `kubectl` commands that change something. */
export function kubectlWriteContract(cluster: () => RunningTarget): void {
  describe("create and replace", () => {
    it("make objects from files", async () => {
      await using bench = await workbench(cluster());
      const { kubectl } = bench;
      const made = await kubectl.ok(["create", ...fromStdin], {
        stdin: configMap({ name: "a" }, { key: "1" }),
      });
      expect(made).toBe("configmap/a created\n");
      expect(await kubectl.refused(["create", ...fromStdin], { stdin: configMap({ name: "a" }) })).toContain(
        'Error from server (AlreadyExists): error when creating "STDIN": configmaps "a" already exists',
      );
    });

    it("make objects from arguments", async () => {
      await using bench = await workbench(cluster());
      const { kubectl, client, namespace } = bench;
      await kubectl.ok("create configmap b --from-literal key=2");
      await kubectl.ok("create secret generic s --from-literal password=hush");
      await kubectl.ok("create deployment web --image registry.example/web:1");
      expect(await client.get(configMaps, { namespace, name: "b" })).toMatchObject({ data: { key: "2" } });
      expect(await client.get(deployments, { namespace, name: "web" })).toMatchObject({
        spec: { replicas: 1 },
      });
      expect(await kubectl.ok("create configmap dry --dry-run=server -o name")).toBe("configmap/dry\n");
      expect(await kubectl.refused("get cm dry")).toContain("NotFound");
    });

    it("replace what is there, unless it changed", async () => {
      await using bench = await workbench(cluster());
      const { kubectl, client, namespace } = bench;
      const a = await client.create(configMaps, configMap({ namespace, name: "a" }, { key: "1" }));
      const stdin = { ...a, data: { key: "2" } };
      expect(await kubectl.ok(["replace", ...fromStdin], { stdin })).toBe("configmap/a replaced\n");
      expect(await kubectl.refused(["replace", ...fromStdin], { stdin })).toContain(
        "the object has been modified",
      );
    });
  });

  describe("apply", () => {
    it("creates, leaves alone, configures and removes", async () => {
      await using bench = await workbench(cluster());
      const { kubectl, client, namespace } = bench;
      const apply = (object: object): Promise<string> =>
        kubectl.ok(["apply", ...fromStdin], { stdin: object });
      const web = deployment({ name: "web", labels: { drop: "me" } }, 0);
      expect(await apply(web)).toBe("deployment.apps/web created\n");
      expect(await apply(web)).toBe("deployment.apps/web unchanged\n");
      // Somebody else's change to a field that is not in the file stays.
      const target = { namespace, name: "web", type: "merge" } as const;
      await client.patch(deployments, { spec: { paused: true } }, target);
      const side = { name: "side", image: "side:1" };
      const changed = deployment({ name: "web" }, 0);
      changed.spec.template.spec.containers.push(side);
      expect(await apply(changed)).toBe("deployment.apps/web configured\n");
      const stored = await client.get<Workload>(deployments, { namespace, name: "web" });
      expect(stored.metadata.labels ?? {}).not.toHaveProperty("drop");
      expect(stored.spec["paused"]).toBe(true);
      expect(stored.spec.template.spec.containers.map(({ name }) => name)).toEqual(["web", "side"]);
    });

    it("checks fields against the server's schema before it sends anything", async () => {
      await using bench = await workbench(cluster());
      const { kubectl } = bench;
      const web = deployment({ name: "web" }, 0);
      const misspelt = { ...web, spec: { ...web.spec, replica: 1 } };
      expect(await kubectl.refused(["apply", ...fromStdin], { stdin: misspelt })).toMatch(
        /unknown field "(spec\.)?replica"/,
      );
      expect(await kubectl.ok(["apply", "--validate=false", ...fromStdin], { stdin: misspelt })).toContain(
        "created",
      );
    });

    it("takes lists and several documents, and custom resources", async () => {
      await using bench = await workbench(cluster());
      const { kubectl, client } = bench;
      const widgets = await installWidgets(client);
      const list = {
        apiVersion: "v1",
        kind: "List",
        items: [configMap({ name: "a" }), configMap({ name: "b" })],
      };
      expect(await kubectl.ok(["apply", ...fromStdin], { stdin: list })).toBe(
        "configmap/a created\nconfigmap/b created\n",
      );
      const documents = [widget(widgets, { name: "w" }, { size: 2 }), configMap({ name: "c" })].map((each) =>
        JSON.stringify(each),
      );
      const several = { stdin: `---\n${documents.join("\n---\n")}` };
      expect(await kubectl.ok(["apply", ...fromStdin], several)).toBe(
        `widget.${widgets.group}/w created\nconfigmap/c created\n`,
      );
      const larger = { stdin: widget(widgets, { name: "w" }, { size: 3 }) };
      expect(await kubectl.ok(["apply", ...fromStdin], larger)).toBe(
        `widget.${widgets.group}/w configured\n`,
      );
      const wrong = { stdin: widget(widgets, { name: "w" }, { size: 99 }) };
      expect(await kubectl.refused(["apply", ...fromStdin], wrong)).toContain(
        "should be less than or equal to 10",
      );
    });

    it("on the server tells whose a field is", async () => {
      await using bench = await workbench(cluster());
      const { kubectl, client, namespace } = bench;
      const apply = ["apply", "--server-side", ...fromStdin];
      const stdin = configMap({ name: "a" }, { key: "1" });
      expect(await kubectl.ok(apply, { stdin })).toBe("configmap/a serverside-applied\n");
      await client.apply(configMaps, configMap({ namespace, name: "a" }, { key: "2" }), {
        fieldManager: "rival",
        force: true,
      });
      const refused = await kubectl.refused(apply, { stdin });
      expect(refused).toContain('conflict with "rival"');
      expect(refused).toContain(".data.key");
      await kubectl.ok([...apply, "--force-conflicts"], { stdin });
      expect(await client.get<ConfigMap>(configMaps, { namespace, name: "a" })).toMatchObject({
        data: { key: "1" },
      });
    });

    it("shows what it would change", async () => {
      await using bench = await workbench(cluster());
      const { kubectl } = bench;
      await kubectl.ok(["apply", ...fromStdin], { stdin: configMap({ name: "a" }, { key: "old" }) });
      const { exitCode, stdout } = await kubectl.run(["diff", ...fromStdin], {
        stdin: configMap({ name: "a" }, { key: "new" }),
      });
      expect(exitCode).toBe(1);
      expect(stdout).toMatch(/^- {2}key: old$\n^\+ {2}key: new$/m);
    });
  });

  describe("patch and edit", () => {
    it.each([
      [
        "strategic",
        '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side:1"}]}}}}',
        ["side", "web"],
      ],
      ["merge", '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side:1"}]}}}}', ["side"]],
      [
        "json",
        '[{"op":"replace","path":"/spec/template/spec/containers/0/name","value":"renamed"}]',
        ["renamed"],
      ],
    ])("patches by %s", async (type, patch, expected) => {
      await using bench = await workbench(cluster());
      const { kubectl, client, namespace } = bench;
      await client.create(deployments, deployment({ namespace, name: "web" }, 0));
      expect(await kubectl.ok(["patch", "deployment", "web", "--type", type, "-p", patch])).toBe(
        "deployment.apps/web patched\n",
      );
      const { spec } = await client.get<Workload>(deployments, { namespace, name: "web" });
      expect(spec.template.spec.containers.map(({ name }) => name).toSorted()).toEqual(expected);
    });

    it("edits what an editor saves", async () => {
      await using bench = await workbench(cluster());
      const { kubectl, client, namespace } = bench;
      await client.create(configMaps, configMap({ namespace, name: "a" }, { key: "before" }));
      const env = { KUBE_EDITOR: "sed -i s/before/after/" };
      expect(await kubectl.ok("edit cm a", { env })).toBe("configmap/a edited\n");
      expect(await client.get(configMaps, { namespace, name: "a" })).toMatchObject({
        data: { key: "after" },
      });
      const again = await kubectl.run("edit cm a", { env });
      expect(again.stdout + again.stderr).toContain("Edit cancelled, no changes made.");
    });
  });

  describe("label, annotate, scale", () => {
    it("set, keep and remove", async () => {
      await using bench = await workbench(cluster());
      const { kubectl, client, namespace } = bench;
      await client.create(configMaps, configMap({ namespace, name: "a", labels: { keep: "1" } }));
      await kubectl.ok("label cm a app=web");
      expect(await kubectl.refused("label cm a app=db")).toContain("--overwrite is false");
      await kubectl.ok("label cm a app=db --overwrite");
      await kubectl.ok("annotate cm a example.com/note=hello");
      expect(await client.get(configMaps, { namespace, name: "a" })).toMatchObject({
        metadata: { labels: { keep: "1", app: "db" }, annotations: { "example.com/note": "hello" } },
      });
      await kubectl.ok("label cm a app-");
      expect((await client.get(configMaps, { namespace, name: "a" })).metadata.labels).toEqual({ keep: "1" });
    });

    it("scale built-in and custom kinds", async () => {
      await using bench = await workbench(cluster());
      const { kubectl, client, namespace } = bench;
      const widgets = await installWidgets(client);
      await client.create(deployments, deployment({ namespace, name: "web" }, 0));
      await client.create(widgets.ref, widget(widgets, { namespace, name: "w" }));
      expect(await kubectl.ok("scale deployment/web --replicas 1")).toBe("deployment.apps/web scaled\n");
      expect(await client.get(deployments, { namespace, name: "web" })).toMatchObject({
        spec: { replicas: 1 },
      });
      expect(await kubectl.refused("scale deployment/web --replicas 3 --current-replicas 7")).toMatch(
        /Expected replicas to be 7, was 1/i,
      );
      await kubectl.ok(["scale", `widgets.${widgets.group}/w`, "--replicas", "5"]);
      expect(await client.get(widgets.ref, { namespace, name: "w" })).toMatchObject({
        spec: { replicas: 5 },
      });
    });
  });

  describe("delete and wait", () => {
    it("deletes by name, by label and by file", async () => {
      await using bench = await workbench(cluster());
      const { kubectl, client, namespace } = bench;
      for (const name of ["a", "b", "c", "d"]) {
        await client.create(
          configMaps,
          configMap({ namespace, name, labels: { even: String(name === "b" || name === "d") } }),
        );
      }
      expect(await kubectl.ok("delete cm a")).toBe(await deletedLine(kubectl, 'configmap "a"'));
      await kubectl.ok("delete cm -l even=true");
      await kubectl.ok(["delete", ...fromStdin], { stdin: configMap({ name: "c" }) });
      expect((await client.list(configMaps, { namespace, labelSelector: "even" })).items).toEqual([]);
      expect(await kubectl.refused("delete cm a")).toContain("NotFound");
      expect(await kubectl.ok("delete cm a --ignore-not-found")).toBe("");
      await client.create(pods, pod({ namespace, name: "p" }, { nodeName: "elsewhere" }));
      await kubectl.ok("delete pod p --grace-period 0 --force");
    });

    it("deletes what a finalizer holds only when it is let go", async () => {
      await using bench = await workbench(cluster());
      const { kubectl, client, namespace } = bench;
      await client.create(configMaps, configMap({ namespace, name: "a", finalizers: ["example.com/hold"] }));
      const deleting = kubectl.ok("delete cm a");
      await untilIs(
        { client, resource: configMaps, namespace, name: "a" },
        ({ metadata }) => "deletionTimestamp" in metadata,
      );
      await client.patch(
        configMaps,
        { metadata: { finalizers: null } },
        { namespace, name: "a", type: "merge" },
      );
      expect(await deleting).toBe(await deletedLine(kubectl, 'configmap "a"'));
    });

    it("waits until the object is gone", async () => {
      await using bench = await workbench(cluster());
      const { kubectl, client, namespace } = bench;
      await client.create(configMaps, configMap({ namespace, name: "a", finalizers: ["example.com/hold"] }));
      await client.delete(configMaps, { namespace, name: "a" });
      // At this level of detail kubectl tells its requests, and with them the moment it begins to wait.
      await using waiting = kubectl.follow("wait --for=delete configmap/a --timeout 150s -v=6");
      await waiting.line(/watch=true/);
      await client.patch(
        configMaps,
        { metadata: { finalizers: null } },
        { namespace, name: "a", type: "merge" },
      );
      expect(await waiting.line(/condition met/)).toBe("configmap/a condition met");
    });

    it("waits for a condition", async () => {
      await using bench = await workbench(cluster());
      const { kubectl, client, namespace } = bench;
      const widgets = await installWidgets(client);
      await client.create(widgets.ref, widget(widgets, { namespace, name: "w" }));
      const name = `widget.${widgets.group}/w`;
      expect(await kubectl.refused(["wait", "--for=condition=Ready", name, "--timeout", "1s"])).toContain(
        "timed out waiting",
      );
      const waiting = kubectl.ok(["wait", "--for=condition=Ready", name, "--timeout", "150s"]);
      await client.patch(
        widgets.ref,
        { status: { conditions: [{ type: "Ready", status: "True" }] } },
        { namespace, name: "w", type: "merge", subresource: "status" },
      );
      expect(await waiting).toBe(`${name} condition met\n`);
    });
  });
}

/** Since 1.34 kubectl says from where. */
async function deletedLine(kubectl: Kubectl, what: string): Promise<string> {
  const place = (await kubectl.minorVersion()) >= 34 ? ` from ${kubectl.namespace} namespace` : "";
  return `${what} deleted${place}\n`;
}
