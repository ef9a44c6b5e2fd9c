import { resources } from "@bowline/kube";
import { expect, it } from "vitest";

import { workbench } from "../kubectl/workbench.ts";
import { deployment, type Workload } from "../objects.ts";
import { standInKubelet } from "../stand-in-kubelet.ts";
import type { RunningTarget } from "../target.ts";

const { deployments } = resources;

/** `kubectl` commands that follow what controllers do. */
export function kubectlRolloutContract(cluster: () => RunningTarget): void {
  it("follows a rollout, shows its history, and goes back", async () => {
    await using bench = await workbench(cluster());
    const { kubectl, client, namespace } = bench;
    using _kubelet = await standInKubelet(cluster(), bench);
    const status = ["rollout", "status", "deployment/web", "--timeout", "150s"];
    await kubectl.ok("apply -f -", { stdin: deployment({ name: "web" }, 2) });
    expect(await kubectl.ok(status)).toContain('deployment "web" successfully rolled out');
    expect(await kubectl.ok("get deployment web --no-headers")).toMatch(/^web +2\/2 +2 +2 +/);
    await kubectl.ok("set image deployment/web web=registry.example/web:2");
    expect(await kubectl.ok(status)).toContain("successfully rolled out");
    expect(await kubectl.ok("rollout history deployment/web")).toMatch(/^1 +.*\n2 +/m);
    await kubectl.ok("rollout undo deployment/web");
    expect(await kubectl.ok(status)).toContain("successfully rolled out");
    const { spec } = await client.get<Workload>(deployments, { namespace, name: "web" });
    expect(spec.template.spec.containers[0]?.image).toBe("registry.example/web:1");
    expect(await kubectl.ok("rollout restart deployment/web")).toBe("deployment.apps/web restarted\n");
    expect(await kubectl.ok(status)).toContain("successfully rolled out");
  });

  it("waits until a Deployment is available, and describes it", async () => {
    await using bench = await workbench(cluster());
    const { kubectl, client, namespace } = bench;
    using _kubelet = await standInKubelet(cluster(), bench);
    await client.create(deployments, deployment({ namespace, name: "web" }, 1));
    const waited = await kubectl.ok("wait --for=condition=Available deployment/web --timeout 150s");
    expect(waited).toBe("deployment.apps/web condition met\n");
    const text = await kubectl.ok("describe deployment web");
    expect(text).toMatch(/^Replicas: +1 desired \| 1 updated \| 1 total \| 1 available \| 0 unavailable$/m);
    expect(text).toMatch(/^NewReplicaSet: +web-\w+ \(1\/1 replicas created\)$/m);
    expect(text).toMatch(/Normal +ScalingReplicaSet /);
    expect(await kubectl.ok("get all")).toMatch(
      /^pod\/web-.*[^]*^deployment\.apps\/web .*[^]*^replicaset\.apps\/web-/m,
    );
  });
}
