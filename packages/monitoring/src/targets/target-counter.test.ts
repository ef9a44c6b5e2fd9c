import { describe, expect, test } from "vitest";

import {
  factKinds,
  factsOfObjects,
  TargetCounter,
  type KubeObject,
  type RenderOptions,
  type TargetQuery,
} from "../index.ts";
import {
  endpoints,
  endpointSlice,
  ingress,
  pod,
  service,
  type ClusterObject,
} from "../testing/cluster-objects.ts";
import {
  object,
  podMonitor,
  probe,
  prometheus,
  renderObjects,
  serviceMonitor,
} from "../testing/sample-objects.ts";

const webLabels = { matchLabels: { app: "web" } };
const web = { name: "web", port: 8080 };

function queryOf(monitor: KubeObject, options: Partial<RenderOptions> = {}, root = {}): TargetQuery {
  const { jobs, rejected } = renderObjects(prometheus(root), [monitor], options);
  expect(rejected).toEqual([]);
  return jobs[0]?.targets ?? { from: "elsewhere" };
}

function countOf(
  monitor: KubeObject,
  objects: readonly ClusterObject[],
  options: Partial<RenderOptions> = {},
) {
  return new TargetCounter(factsOfObjects(objects).facts).count(queryOf(monitor, options));
}

const forServices = (endpoint: Record<string, unknown>, spec: Record<string, unknown> = {}): KubeObject =>
  serviceMonitor("shop/web", { selector: webLabels, endpoints: [endpoint], ...spec });

const forPods = (endpoint: Record<string, unknown>, spec: Record<string, unknown> = {}): KubeObject =>
  podMonitor("shop/web", { selector: webLabels, podMetricsEndpoints: [endpoint], ...spec });

describe("a ServiceMonitor", () => {
  const behind = [
    service("shop/web"),
    endpoints("shop/web", {
      ready: ["10.0.0.1 web-1", "10.0.0.2 web-2"],
      notReady: ["10.0.0.3 web-3"],
      ports: [web, { name: "admin", port: 8081 }],
    }),
  ];
  const pods = ["1", "2", "3"].map((each) =>
    pod(`shop/web-${each}`, {
      ip: `10.0.0.${each}`,
      containers: [["web:8080", "admin:8081"], ["sidecar:15090"], []],
      initContainers: [["proxy:15001"]],
    }),
  );

  test.each<[string, Record<string, unknown>, number]>([
    ["a port by its name: each address, ready or not", { port: "web" }, 3],
    ["several names", { port: "web|admin" }, 6],
    ["a name that no endpoint has", { port: "sidecar" }, 0],
    ["a name that only looks the same", { port: "we" }, 0],
    ["no port: those of the endpoints and all others of the pods", {}, 12],
    ["a container's port by its number", { targetPort: 8080 }, 3],
    ["a container's port that no Service names", { targetPort: 15_090 }, 3],
    ["a container's port by its name", { targetPort: "sidecar" }, 3],
    ["a port of an init container", { targetPort: "proxy" }, 3],
    ["a port that no container declares", { targetPort: 9999 }, 0],
  ])("counts %s", (_, endpoint, expected) => {
    expect(countOf(forServices(endpoint), [...behind, ...pods])).toBe(expected);
  });

  test("of an older collector does not find init containers", () => {
    const old = { version: "v2.55.0" };
    expect(countOf(forServices({ targetPort: "proxy" }), [...behind, ...pods], old)).toBe(0);
    expect(countOf(forServices({}), [...behind, ...pods], old)).toBe(9);
  });

  test("looks for labels in its own namespace, in those that it names, or in all", () => {
    const objects = ["shop", "other", "third"].flatMap((namespace) => [
      service(`${namespace}/web`),
      endpoints(`${namespace}/web`, { ready: ["10.0.0.1"], ports: [web] }),
      service(`${namespace}/db`, { app: "db" }),
      endpoints(`${namespace}/db`, { ready: ["10.0.0.9"], ports: [web] }),
    ]);
    const count = (namespaceSelector: object, selector: object = webLabels): number | undefined =>
      countOf(forServices({ port: "web" }, { namespaceSelector, selector }), objects);
    expect(count({})).toBe(1);
    expect(count({ matchNames: ["other", "third", "other"] })).toBe(2);
    expect(count({ any: true })).toBe(3);
    expect(count({ any: true }, {})).toBe(6);
    const expression = (operator: string, values?: readonly string[]): object => ({
      matchExpressions: [{ key: "app", operator, ...(values === undefined ? {} : { values }) }],
    });
    expect(count({}, expression("In", ["web", "db", "web"]))).toBe(2);
    expect(count({}, expression("NotIn", ["web"]))).toBe(1);
    expect(count({}, expression("Exists"))).toBe(2);
    expect(count({}, expression("DoesNotExist"))).toBe(0);
  });

  test("takes endpoints without a Service for some without labels", () => {
    const stray = [endpoints("shop/stray", { ready: ["10.0.0.1"], ports: [web] })];
    expect(countOf(forServices({ port: "web" }, { selector: {} }), stray)).toBe(1);
    expect(countOf(forServices({ port: "web" }), stray)).toBe(0);
  });

  test("with slices finds all of a Service, each address once", () => {
    const slices = [
      service("shop/web"),
      endpointSlice("shop/web-a", "web", {
        ready: ["10.0.0.1 web-1"],
        notReady: ["10.0.0.2 web-2"],
        ports: [web],
      }),
      endpointSlice("shop/web-b", "web", { ready: ["10.0.0.2 web-2", "10.0.0.3 web-3"], ports: [web] }),
      endpointSlice("shop/web-v6", "web", { ready: ["fd00::1 web-1"], ports: [web] }),
      endpointSlice("shop/of-none", undefined, { ready: ["10.0.0.7"], ports: [web] }),
      pod("shop/web-1", { ip: "10.0.0.1", containers: [["web:8080", "admin:8081"]] }),
      // Objects that another discovery would see.
      endpoints("shop/web", { ready: ["10.0.0.9"], ports: [web] }),
    ];
    const bySlices = { endpointSliceSupported: true };
    const monitor = (endpoint: object): KubeObject =>
      forServices({ ...endpoint }, { serviceDiscoveryRole: "EndpointSlice" });
    expect(countOf(monitor({ port: "web" }), slices, bySlices)).toBe(4);
    // The port beside is found once, though the pod is in two slices.
    expect(countOf(monitor({}), slices, bySlices)).toBe(5);
    expect(countOf(monitor({ port: "web" }), slices, { endpointSliceSupported: false })).toBe(1);
    expect(
      countOf(
        forServices({ port: "web" }, { serviceDiscoveryRole: "EndpointSlice", selector: {} }),
        slices,
        bySlices,
      ),
    ).toBe(5);
  });

  test("leaves out finished pods where it looks at pods, unless it is told not to", () => {
    const finished = [
      service("shop/web"),
      endpoints("shop/web", { ready: ["10.0.0.1 web-1", "10.0.0.2 web-2"], ports: [web] }),
      pod("shop/web-1", { ip: "10.0.0.1" }),
      pod("shop/web-2", { ip: "10.0.0.2", phase: "Failed" }),
    ];
    expect(countOf(forServices({ targetPort: 8080 }), finished)).toBe(1);
    expect(countOf(forServices({ targetPort: 8080, filterRunning: false }), finished)).toBe(2);
  });

  test("counts an address once for two protocols, and one without a pod only where no container is asked for", () => {
    const objects = [
      service("shop/web"),
      endpoints("shop/web", {
        ready: ["10.0.0.1"],
        ports: [
          { name: "dns", port: 53 },
          { name: "dns-tcp", port: 53 },
        ],
      }),
    ];
    expect(countOf(forServices({}), objects)).toBe(1);
    expect(countOf(forServices({ targetPort: 53 }), objects)).toBe(0);
  });
});

describe("a PodMonitor", () => {
  const pods = [
    pod("shop/web-1", {
      containers: [["web:8080", "admin:8081"], []],
      initContainers: [[], ["web:9090"]],
    }),
    pod("shop/web-2", { containers: [["web:8080", ":8081"]] }),
    pod("shop/starting", { ip: "" }),
    pod("shop/done", { phase: "Succeeded" }),
    pod("shop/db", { labels: { app: "db" } }),
    pod("other/web"),
  ];

  test.each<[string, Record<string, unknown>, number]>([
    ["a port by its name, also of init containers", { port: "web" }, 3],
    ["a port by its number", { portNumber: 8081 }, 2],
    ["the older field by number", { targetPort: 8081 }, 2],
    ["the older field by name", { targetPort: "admin" }, 1],
    ["every port, and each container that has none", {}, 7],
    ["finished pods when it is told to", { port: "web", filterRunning: false }, 4],
    ["the name before the number", { port: "admin", portNumber: 8080 }, 1],
  ])("counts %s", (_, endpoint, expected) => {
    expect(countOf(forPods(endpoint), pods)).toBe(expected);
  });

  test("counts a number once for two protocols of one container", () => {
    const dns = [pod("shop/dns", { containers: [["dns:53", "dns-tcp:53"], ["other:53"]] })];
    expect(countOf(forPods({}), dns)).toBe(2);
  });
});

describe("a Probe", () => {
  test("has the targets that it lists, each once", () => {
    const targets = { staticConfig: { static: ["a.example", "b.example", "a.example"] } };
    expect(countOf(probe("shop/web", { targets }), [])).toBe(2);
  });

  test("has one for each path of an Ingress", () => {
    const path = (name: string): object => ({ path: name });
    const objects = [
      ingress(
        "shop/web",
        { host: "a.example", http: { paths: [path("/"), path("/b"), {}] } },
        { host: "b.example" },
        { http: { paths: [path("/x"), path("/y")] } },
      ),
      ingress("shop/empty"),
      ingress("other/web", { host: "c.example" }),
    ];
    const targets = { ingress: { selector: webLabels } };
    expect(countOf(probe("shop/web", { targets }), objects)).toBe(4);
    expect(
      countOf(
        probe("shop/web", { targets: { ingress: { selector: { matchLabels: { a: "b" } } } } }),
        objects,
      ),
    ).toBe(0);
  });
});

test("objects that are not what their kind says are passed over, and so are namesakes of other groups", () => {
  const broken = { kind: "Endpoints", metadata: { namespace: "shop", name: "web" }, subsets: [null] };
  const namesake = { ...service("shop/web"), apiVersion: "serving.knative.dev/v1" };
  const objects = [broken, namesake, pod("shop/web-1"), { ...pod("shop/x"), spec: { containers: "none" } }];
  const { facts, kinds } = factsOfObjects(objects);
  expect([...kinds]).toEqual(["endpoints", "pods"]);
  expect(facts.services.list()).toEqual([]);
  expect(facts.endpoints.list()).toEqual([]);
  expect(new TargetCounter(facts).count(queryOf(forPods({ port: "web" })))).toBe(1);
});

describe("what is not counted", () => {
  const listed = { targets: ["a.example", "b.example"] };

  test("is a ScrapeConfig, but for the targets that it lists", () => {
    const staticConfigs = [listed, listed, { ...listed, labels: { zone: "a" } }];
    expect(countOf(object("ScrapeConfig", "shop/web", { staticConfigs }), [])).toBe(4);
    const dnsSDConfigs = [{ names: ["a.example"], type: "SRV" }];
    expect(countOf(object("ScrapeConfig", "shop/web", { staticConfigs, dnsSDConfigs }), [])).toBeUndefined();
  });

  test.each([
    ["a port that is a regular expression", forServices({ port: "(w+)+eb" }), {}],
    ["a container's port that is one", forServices({ targetPort: "we." }), {}],
    ["such a port of a pod", forPods({ port: ".*" }), {}],
    ["another cluster", forServices({ port: "web" }), { apiserverConfig: { host: "https://example.com" } }],
    ["pods of another cluster", forPods({}), { apiserverConfig: { host: "https://example.com" } }],
  ])("is %s", (_, monitor, root) => {
    expect(queryOf(monitor, {}, root)).toEqual({ from: "elsewhere" });
  });
});

describe("what has to be read of a cluster", () => {
  test.each([
    [forServices({ port: "web" }), ["services", "endpoints"]],
    [forServices({ port: "web" }, { serviceDiscoveryRole: "EndpointSlice" }), ["services", "endpointSlices"]],
    [forServices({ targetPort: 8080 }), ["services", "endpoints", "pods"]],
    [forServices({}), ["services", "endpoints", "pods"]],
    [forPods({}), ["pods"]],
    [probe("shop/web", { targets: { ingress: {} } }), ["ingresses"]],
    [probe("shop/web"), []],
  ])("is as little as can be (%#)", (monitor, kinds) => {
    expect(factKinds(queryOf(monitor, { endpointSliceSupported: true }))).toEqual(kinds);
  });
});

describe("why there are none", () => {
  const whyNone = (monitor: KubeObject, objects: readonly ClusterObject[]): string => {
    const counter = new TargetCounter(factsOfObjects(objects).facts);
    const query = queryOf(monitor);
    expect(counter.count(query)).toBe(0);
    return counter.whyNone(query);
  };
  const empty = endpoints("shop/web");
  const filled = endpoints("shop/web", { ready: ["10.0.0.1 web-1"], ports: [web] });

  test.each<[KubeObject, ClusterObject[], string]>([
    [forServices({ port: "web" }), [], "There is no Service with «app=web» in the namespace shop."],
    [
      forServices({ port: "web" }, { selector: {}, namespaceSelector: { any: true } }),
      [],
      "There is no Service in any namespace.",
    ],
    [
      forServices({ port: "web" }, { namespaceSelector: { matchNames: ["a", "b"] } }),
      [],
      "There is no Service with «app=web» in the namespaces a, b.",
    ],
    [
      forServices({ port: "web" }),
      [service("shop/web"), empty],
      "The Service shop/web has no endpoints: no pod is behind it.",
    ],
    [
      forServices({ port: "metrics" }),
      [service("shop/web"), filled],
      "The Service shop/web has no port called «metrics»; there is web.",
    ],
    [
      forServices({ targetPort: 9090 }),
      [service("shop/web"), filled, pod("shop/web-1")],
      "No container behind the Service shop/web declares the port 9090.",
    ],
    [forPods({ port: "web" }), [], "There is no pod with «app=web» in the namespace shop."],
    [
      forPods({ port: "web" }),
      [pod("shop/a", { ip: "" }), pod("shop/b", { phase: "Failed" })],
      "Each of 2 pods with «app=web» in the namespace shop has finished, or has no address yet.",
    ],
    [
      forPods({ port: "metrics" }),
      [pod("shop/a", { containers: [["web:8080", ":8081"]] })],
      "No container of the pod shop/a declares a port called «metrics»; there is web, 8081.",
    ],
    [
      probe("shop/web", { targets: { ingress: { selector: webLabels } } }),
      [],
      "There is no Ingress with «app=web» in the namespace shop.",
    ],
    [
      probe("shop/web", { targets: { ingress: { selector: webLabels } } }),
      [ingress("shop/web")],
      "The Ingress shop/web has no rules.",
    ],
    [object("ScrapeConfig", "shop/web", { staticConfigs: [] }), [], "It lists no targets."],
  ])("is a sentence (%#)", (monitor, objects, expected) => {
    expect(whyNone(monitor, objects)).toBe(expected);
  });
});
