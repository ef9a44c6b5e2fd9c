import type { Kubesim, NewObject, SimObject } from "@bowline/kubesim";
import { expect, test } from "vitest";

import { Fleet } from "../fleet/fleet.ts";
import { calm } from "./calm.ts";

const mebibyte = 1024 * 1024;
/** Of each program; both have less than half of it with a small cluster. */
const mostMemory = 400 * mebibyte;
const longest = `n${"a".repeat(251)}z`;

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_none, index) => make(index));

/** Objects as no person writes them, in a namespace of their own. */
class HostileObjects {
  readonly #sim: Kubesim;

  constructor(sim: Kubesim) {
    this.#sim = sim;
  }

  create(): void {
    this.#create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "hostile" } });
    const env = many(10_000, (index) => ({
      name: `V${index}`,
      valueFrom: { secretKeyRef: { name: `secret-${index}`, key: "key" } },
    }));
    this.#pod("references", { containers: [{ name: "app", image: "a:1", env }] });
    this.#pod("containers", { containers: many(2_000, (index) => ({ name: `c${index}`, image: "a:1" })) });
    this.#pod("names", {
      containers: [{ name: "app", image: "a:1", envFrom: [{ secretRef: { name: longest } }] }],
    });
    this.#configMap(longest);
    this.#changed(this.#configMap("annotations"), {
      annotations: { team: "t".repeat(mebibyte), note: "n".repeat(mebibyte) },
    });
    this.#changed(this.#configMap("labels"), {
      labels: {
        escape: "\u001b[31mred\u0007",
        "\u0000": "nothing",
        ["k".repeat(2_000)]: "long",
        plain: "v",
      },
    });
    this.#cycle();
    const rule = (index: number) => ({ verbs: ["get"], apiGroups: [""], resources: [`r${index}`] });
    this.#create("clusterroles.rbac.authorization.k8s.io", {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "hostile" },
      rules: many(5_000, rule),
    });
  }

  /** Each owns the next one, and the last the first. */
  #cycle(): void {
    const all = ["one", "two", "three"].map((name) => this.#configMap(name));
    for (const [index, object] of all.entries()) {
      const { apiVersion, kind, metadata } = all[(index + 1) % all.length] ?? object;
      const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid };
      this.#changed(object, { ownerReferences: [owner] });
    }
  }

  #pod(name: string, spec: object): void {
    const metadata = { name, namespace: "hostile" };
    this.#create("pods", { apiVersion: "v1", kind: "Pod", metadata, spec });
  }

  #configMap(name: string): SimObject {
    const metadata = { name, namespace: "hostile" };
    return this.#create("configmaps", { apiVersion: "v1", kind: "ConfigMap", metadata });
  }

  #create(resource: string, object: NewObject): SimObject {
    return this.#sim.api.create(resource, object);
  }

  /** Where it is stored: no server of Kubernetes would take all of it, but not every server is one. */
  #changed(object: SimObject, metadata: Partial<SimObject["metadata"]>): void {
    Object.assign(object.metadata, metadata);
  }
}

test(
  "objects that are made to hurt are bounded and told, and all others with them",
  { timeout: 180_000 },
  async () => {
    const prepare = (sim: Kubesim) => {
      new HostileObjects(sim).create();
      return { name: "kubernetes-admin", token: sim.adminToken };
    };
    const fleet = await Fleet.open(["north"], { prepare });
    const [cluster] = fleet.clusters;
    const [agent] = cluster?.agents ?? [];
    if (cluster === undefined || agent === undefined) throw new Error("A fleet has a cluster with an agent.");
    const { lines } = await calm(fleet, cluster);
    const told = (name: string): string =>
      lines.find((line) => line.startsWith("node ") && line.includes(`/hostile/${name}"`)) ?? "";
    expect(told("references")).toContain('"cut":["edges=');
    expect(told("containers")).toContain('"parts=1500"');
    expect(told("labels")).toContain('"cut":["labels=');
    expect(told(longest)).toContain('"observed":true');
    expect(lines.filter((line) => line.includes('"type":"OWNS"') && line.includes("/hostile/"))).toHaveLength(
      3,
    );
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(mebibyte);

    // Whoever begins anew meets them again.
    await agent.kill();
    await fleet.server.kill();
    cluster.sim.api.delete("pods", "hostile", "containers", { gracePeriodSeconds: 0 });
    await fleet.server.start();
    await agent.start();
    await calm(fleet, cluster);
    for (const node of ["ConfigMap/hostile/one", `Secret/hostile/${longest}`, "Secret/hostile/secret-1"]) {
      const answer = await fleet.get(`graph/blast-radius?node=${encodeURIComponent(node)}`);
      expect(answer.length).toBeLessThan(mebibyte);
    }
    expect((await agent.memory()).peakBytes).toBeLessThan(mostMemory);
    expect((await fleet.server.memory()).peakBytes).toBeLessThan(mostMemory);
  },
);
