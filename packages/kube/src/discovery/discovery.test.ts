import { Readable } from "node:stream";
import { ManualClock } from "@bowline/core/testing";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KubeClient } from "../client/kube-client.ts";
import type { KubeRequest, KubeResponse, Transport } from "../transport.ts";
import { parseAggregated } from "./aggregated-discovery.ts";
import { Discovery } from "./discovery.ts";
import { parseGroups, parseResources } from "./legacy-discovery.ts";

type Answers = Readonly<Record<string, unknown>>;

/** Answers by path; what it does not know is a 404, and `"down"` a 503. */
class DiscoveryServer implements Transport {
  readonly detectsDeadPeer = true;
  readonly asked: KubeRequest[] = [];
  answers: Answers;

  constructor(answers: Answers) {
    this.answers = answers;
  }

  request(request: KubeRequest): Promise<KubeResponse> {
    this.asked.push(request);
    const answer = this.answers[request.path];
    if (answer === "hangs") return hang(request.signal);
    if (answer === "down") return reply(503, "service unavailable", "text/plain");
    if (answer === undefined) return reply(404, "404 page not found", "text/plain");
    return reply(200, JSON.stringify(answer), "application/json");
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function reply(status: number, text: string, type: string): Promise<KubeResponse> {
  return Promise.resolve({
    status,
    headers: { "content-type": type },
    body: Readable.from([Buffer.from(text)]),
  });
}

function hang(signal: AbortSignal | undefined): Promise<KubeResponse> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason as Error));
  });
}

function aggregatedGroup(name: string, versions: Record<string, object[]>, freshness = "Current"): object {
  return {
    metadata: name === "" ? {} : { name },
    versions: Object.entries(versions).map(([version, resources]) => ({ version, freshness, resources })),
  };
}

function aggregatedResource(resource: string, kind: string, more: object = {}): object {
  return {
    resource,
    responseKind: { group: "", version: "v1", kind },
    scope: "Namespaced",
    verbs: ["get"],
    ...more,
  };
}

const aggregated: Answers = {
  "/api": {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    items: [
      aggregatedGroup("", {
        v1: [
          aggregatedResource("pods", "Pod", {
            singularResource: "pod",
            shortNames: ["po"],
            categories: ["all"],
            subresources: [{ subresource: "log" }, { subresource: "status" }],
          }),
          aggregatedResource("nodes", "Node", { scope: "Cluster", shortNames: ["no"] }),
          aggregatedResource("events", "Event", { shortNames: ["ev"] }),
        ],
      }),
    ],
  },
  "/apis": {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2beta1",
    items: [
      aggregatedGroup("apps", {
        v1: [aggregatedResource("deployments", "Deployment", { shortNames: ["deploy"] })],
      }),
      aggregatedGroup("events.k8s.io", {
        v1: [aggregatedResource("events", "Event", { shortNames: ["ev"] })],
      }),
      aggregatedGroup("autoscaling", {
        v2: [
          aggregatedResource("horizontalpodautoscalers", "HorizontalPodAutoscaler", { shortNames: ["hpa"] }),
        ],
        v1: [
          aggregatedResource("horizontalpodautoscalers", "HorizontalPodAutoscaler", { shortNames: ["hpa"] }),
        ],
      }),
      aggregatedGroup("metrics.k8s.io", { v1beta1: [] }, "Stale"),
    ],
  },
};

function legacyResource(name: string, kind: string, more: object = {}): object {
  return { name, kind, singularName: kind.toLowerCase(), namespaced: true, verbs: ["get"], ...more };
}

/** The same server as Kubernetes 1.20 describes it. */
const legacy: Answers = {
  "/api": { kind: "APIVersions", versions: ["v1"] },
  "/api/v1": {
    kind: "APIResourceList",
    resources: [
      legacyResource("pods", "Pod", { shortNames: ["po"], categories: ["all"] }),
      legacyResource("pods/log", "Pod"),
      legacyResource("pods/status", "Pod"),
      legacyResource("nodes", "Node", { namespaced: false, shortNames: ["no"] }),
      legacyResource("events", "Event", { shortNames: ["ev"] }),
    ],
  },
  "/apis": {
    kind: "APIGroupList",
    groups: [
      { name: "apps", versions: [{ version: "v1" }], preferredVersion: { version: "v1" } },
      { name: "events.k8s.io", versions: [{ version: "v1" }], preferredVersion: { version: "v1" } },
      {
        name: "autoscaling",
        versions: [{ version: "v1" }, { version: "v2" }],
        preferredVersion: { version: "v2" },
      },
      {
        name: "metrics.k8s.io",
        versions: [{ version: "v1beta1" }],
        preferredVersion: { version: "v1beta1" },
      },
    ],
  },
  "/apis/apps/v1": { resources: [legacyResource("deployments", "Deployment", { shortNames: ["deploy"] })] },
  "/apis/events.k8s.io/v1": { resources: [legacyResource("events", "Event", { shortNames: ["ev"] })] },
  "/apis/autoscaling/v1": {
    resources: [
      legacyResource("horizontalpodautoscalers", "HorizontalPodAutoscaler", { shortNames: ["hpa"] }),
    ],
  },
  "/apis/autoscaling/v2": {
    resources: [
      legacyResource("horizontalpodautoscalers", "HorizontalPodAutoscaler", { shortNames: ["hpa"] }),
    ],
  },
  "/apis/metrics.k8s.io/v1beta1": "down",
};

function discoveryOf(server: DiscoveryServer): {
  readonly discovery: Discovery;
  readonly clock: ManualClock;
} {
  const clock = new ManualClock();
  return { discovery: new Discovery(new KubeClient(server), { clock }), clock };
}

describe.each([
  ["aggregated", aggregated, 2],
  ["old", legacy, 8],
])("%s discovery", (_name, answers, requests) => {
  it("finds resources by every name people use", async () => {
    const server = new DiscoveryServer(answers);
    const { discovery } = discoveryOf(server);
    for (const name of ["pods", "pod", "po", "Pod", "pods.v1."]) {
      expect(await discovery.findName(name)).toMatchObject({
        group: "",
        version: "v1",
        plural: "pods",
        kind: "Pod",
      });
    }
    expect(await discovery.findName("deployments.apps")).toMatchObject({ group: "apps" });
    expect(await discovery.findName("deploy.v1.apps")).toMatchObject({ group: "apps" });
    expect(await discovery.findName("ev")).toMatchObject({ group: "" });
    expect(await discovery.findName("events.events.k8s.io")).toMatchObject({ group: "events.k8s.io" });
    expect(await discovery.findName("hpa")).toMatchObject({ version: "v2" });
    expect(await discovery.findName("hpa.v1.autoscaling")).toMatchObject({ version: "v1" });
    expect(await discovery.findName("deployments.extensions")).toBeUndefined();
    expect(await discovery.findName("nothing")).toBeUndefined();
    expect(server.asked).toHaveLength(requests);
  });

  it("finds resources by kind, in the preferred version or the one asked for", async () => {
    const { discovery } = discoveryOf(new DiscoveryServer(answers));
    const hpa = { group: "autoscaling", kind: "HorizontalPodAutoscaler" };
    expect(await discovery.findKind(hpa)).toMatchObject({ version: "v2" });
    expect(await discovery.findKind({ ...hpa, version: "v1" })).toMatchObject({ version: "v1" });
    expect(await discovery.findKind({ ...hpa, version: "v9" })).toBeUndefined();
    expect(await discovery.findKind({ group: "", kind: "Node" })).toMatchObject({ namespaced: false });
  });

  it("describes a resource in full", async () => {
    const { discovery } = discoveryOf(new DiscoveryServer(answers));
    expect(await discovery.findName("pods")).toEqual({
      group: "",
      version: "v1",
      plural: "pods",
      kind: "Pod",
      namespaced: true,
      singular: "pod",
      shortNames: ["po"],
      categories: ["all"],
      verbs: ["get"],
      subresources: ["log", "status"],
    });
  });

  it("reports an API that does not answer, and lists the others", async () => {
    const { failures, resources } = await discoveryOf(new DiscoveryServer(answers)).discovery.apis();
    expect(failures).toMatchObject([
      { group: "metrics.k8s.io", version: "v1beta1", error: { code: "ServerUnavailable" } },
    ]);
    expect(resources).toHaveLength(7);
  });
});

it("asks for the newest form first, and takes the old one", async () => {
  const server = new DiscoveryServer(aggregated);
  await discoveryOf(server).discovery.apis();
  expect(server.asked[0]?.headers?.["accept"]).toBe(
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
      "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json",
  );
});

it("does not wait for an API that hangs", async () => {
  const server = new DiscoveryServer({ ...legacy, "/apis/metrics.k8s.io/v1beta1": "hangs" });
  const { discovery, clock } = discoveryOf(server);
  const asking = discovery.apis();
  await clock.advance(20_000);
  expect((await asking).failures).toMatchObject([{ group: "metrics.k8s.io", error: { code: "Timeout" } }]);
  expect(clock.pending).toBe(0);
});

it("fails as a whole when the server itself does not answer", async () => {
  const { discovery } = discoveryOf(new DiscoveryServer({ ...legacy, "/apis": "down" }));
  await expect(discovery.apis()).rejects.toMatchObject({ code: "ServerUnavailable" });
});

describe("the cache", () => {
  it("asks once, then again when told to, when old, and when a new kind is wanted", async () => {
    const server = new DiscoveryServer(aggregated);
    const { discovery, clock } = discoveryOf(server);
    await Promise.all([discovery.apis(), discovery.apis(), discovery.findName("pods")]);
    expect(server.asked).toHaveLength(2);
    discovery.invalidate();
    await discovery.apis();
    expect(server.asked).toHaveLength(4);
    await clock.advance(600_000);
    await discovery.apis();
    expect(server.asked).toHaveLength(6);

    const widgets = aggregatedGroup("acme.com", { v1: [aggregatedResource("widgets", "Widget")] });
    server.answers = { ...server.answers, "/apis": { kind: "APIGroupDiscoveryList", items: [widgets] } };
    expect(await discovery.findName("widgets")).toBeUndefined();
    await clock.advance(10_000);
    expect(await discovery.findName("widgets")).toMatchObject({ group: "acme.com" });
  });
});

it("reads the server's version, once in ten minutes, and again after a failure", async () => {
  const version = { major: "1", minor: "20+", gitVersion: "v1.20.2-eks-1" };
  const server = new DiscoveryServer({ "/version": version });
  const { discovery, clock } = discoveryOf(server);
  const read = { major: 1, minor: 20, gitVersion: "v1.20.2-eks-1" };
  expect(await Promise.all([discovery.serverVersion(), discovery.serverVersion()])).toEqual([read, read]);
  expect(server.asked).toHaveLength(1);
  await clock.advance(600_000);
  server.answers = { "/version": { hello: 1 } };
  await expect(discovery.serverVersion()).rejects.toMatchObject({ code: "NotKubernetes" });
  server.answers = { "/version": version };
  expect(await discovery.serverVersion()).toEqual(read);
});

it("makes something of any JSON a server may send", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const group = { name: "x", versions: value, preferredVersion: value };
      const list = { kind: "APIGroupDiscoveryList", items: [value, { metadata: value, versions: [value] }] };
      expect(parseAggregated(list)?.groups).toHaveLength(2);
      expect(parseGroups({ groups: [group] })).toHaveLength(1);
      expect(
        parseResources({ resources: [value, { name: "x", kind: "X", verbs: value }] }, "g", "v1"),
      ).toContainEqual(expect.objectContaining({ plural: "x", singular: "x" }));
    }),
  );
});
