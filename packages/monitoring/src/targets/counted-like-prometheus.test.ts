import * as fc from "fast-check";
import { expect, test } from "vitest";

import { factsOfObjects, TargetCounter, type Job, type KubeObject } from "../index.ts";
import { textOf, type ConfigMap, type ConfigValue } from "../model/config-value.ts";
import { isConfigMap } from "../model/read-yaml.ts";
import {
  endpoints,
  endpointSlice,
  ingress,
  pod,
  service,
  type ClusterObject,
  type Subset,
} from "../testing/cluster-objects.ts";
import { discoveredTargets, type Labels } from "../testing/discovered-targets.ts";
import { relabel } from "../testing/relabel.ts";
import { podMonitor, probe, prometheus, renderObjects, serviceMonitor } from "../testing/sample-objects.ts";

// Few names, so that much of it meets.
const namespaces = ["shop", "other"] as const;
const names = ["a", "b", "c"] as const;
const portNames = ["web", "admin"] as const;
const portNumbers = [80, 81, 82] as const;

const namespace = fc.constantFrom(...namespaces);
const labels = fc.dictionary(fc.constantFrom("app", "tier"), fc.constantFrom("web", "db"), { maxKeys: 2 });
const id = fc.tuple(namespace, fc.constantFrom(...names)).map((parts) => parts.join("/"));
const container = fc.uniqueArray(
  fc
    .tuple(fc.constantFrom("", ...portNames), fc.constantFrom(...portNumbers))
    .map((parts) => parts.join(":")),
  { maxLength: 3, selector: (text) => (text.startsWith(":") ? text : text.split(":")[0]) },
);

const subset: fc.Arbitrary<Subset> = fc.record({
  ready: fc.array(fc.constantFrom("10.0.0.1 a", "10.0.0.2 b", "10.0.0.9"), { maxLength: 2 }),
  notReady: fc.array(fc.constantFrom("10.0.0.3 c", "fd00::1 a"), { maxLength: 1 }),
  ports: fc.array(
    fc.record({ name: fc.constantFrom(...portNames, ""), port: fc.constantFrom(...portNumbers) }),
    { maxLength: 3 },
  ),
});

const somePod = fc
  .record({
    namespace,
    name: fc.constantFrom(...names),
    labels,
    hasAddress: fc.boolean(),
    phase: fc.constantFrom("Running", "Pending", "Failed", "Succeeded"),
    containers: fc.array(container, { minLength: 1, maxLength: 2 }),
    initContainers: fc.array(container, { maxLength: 1 }),
  })
  .map(({ namespace: space, name, hasAddress, ...parts }) =>
    pod(`${space}/${name}`, { ...parts, ip: hasAddress ? `10.0.0.${names.indexOf(name) + 1}` : "" }),
  );

const rule = fc.record(
  {
    host: fc.constantFrom("a.example", "b.example"),
    http: fc.record({
      paths: fc.array(fc.constantFrom({ path: "/x" }, { path: "/" }, {}), { maxLength: 3 }),
    }),
  },
  { requiredKeys: [] },
);

const cluster = fc
  .tuple(
    fc.array(
      fc.tuple(id, labels).map(([name, own]) => service(name, own)),
      { maxLength: 4 },
    ),
    fc.array(
      fc.tuple(id, fc.array(subset, { maxLength: 2 })).map(([name, own]) => endpoints(name, ...own)),
      {
        maxLength: 4,
      },
    ),
    fc.array(
      fc
        .tuple(id, fc.option(fc.constantFrom(...names), { nil: undefined }), subset)
        .map(([name, of, own]) => endpointSlice(name, of, own)),
      { maxLength: 4 },
    ),
    fc.array(somePod, { maxLength: 5 }),
    fc.array(
      fc.tuple(id, fc.array(rule, { maxLength: 2 })).map(([name, own]) => ingress(name, ...own)),
      {
        maxLength: 2,
      },
    ),
  )
  .map((parts) => onlyOnce(parts.flat()));

function onlyOnce(objects: readonly ClusterObject[]): ClusterObject[] {
  return [
    ...new Map(
      objects.map((object) => [
        `${object.kind} ${object.metadata.namespace}/${object.metadata.name}`,
        object,
      ]),
    ).values(),
  ];
}

const expression = fc.oneof(
  fc.record({
    key: fc.constantFrom("app", "tier"),
    operator: fc.constantFrom("In", "NotIn"),
    values: fc.array(fc.constantFrom("web", "db"), { minLength: 1, maxLength: 2 }),
  }),
  fc.record({ key: fc.constantFrom("app", "tier"), operator: fc.constantFrom("Exists", "DoesNotExist") }),
);
const selecting = fc.record({
  selector: fc.record({ matchLabels: labels, matchExpressions: fc.array(expression, { maxLength: 1 }) }),
  namespaceSelector: fc.constantFrom(
    {},
    { any: true },
    { matchNames: ["other"] },
    { matchNames: ["other", "shop"] },
  ),
});
const filterRunning = fc.constantFrom({}, {}, { filterRunning: false });
const named = fc.constantFrom(...portNames, "web|admin");
const endpoint = fc
  .tuple(
    fc.oneof(
      named.map((port) => ({ port })),
      named.map((targetPort) => ({ targetPort })),
      fc.constantFrom(...portNumbers).map((targetPort) => ({ targetPort })),
      fc.constant({}),
    ),
    filterRunning,
  )
  .map(([port, filter]) => ({ ...port, ...filter }));

const monitor: fc.Arbitrary<KubeObject> = fc.oneof(
  fc
    .tuple(selecting, endpoint, fc.constantFrom("Endpoints", "EndpointSlice"))
    .map(([spec, one, serviceDiscoveryRole]) =>
      serviceMonitor("shop/m", { ...spec, serviceDiscoveryRole, endpoints: [one] }),
    ),
  fc
    .tuple(selecting, endpoint)
    .map(([spec, one]) => podMonitor("shop/m", { ...spec, podMetricsEndpoints: [one] })),
  selecting.map((targets) => probe("shop/m", { targets: { ingress: targets } })),
);

/** Targets that Prometheus would scrape, found the long way: every target with all labels, through every rule. */
function scraped({ config }: Job, objects: readonly ClusterObject[]): number {
  const [discovery] = listIn(config["kubernetes_sd_configs"]);
  const wanted = namespacesIn(discovery);
  const rules = listIn(config["relabel_configs"]);
  const visible = objects.filter(({ metadata }) => wanted?.includes(metadata.namespace ?? "") ?? true);
  const targets = discoveredTargets(textOf(discovery?.["role"]), visible)
    .map((target) => relabel(target, rules))
    .filter((target) => target !== undefined);
  return new Set(targets.map((target) => targetIdentity(target))).size;
}

function targetIdentity(target: Labels): string {
  return JSON.stringify(
    Object.entries(target)
      .map(([name, value]) => `${name}=${value}`)
      .toSorted(),
  );
}

/** The namespaces that a discovery looks into; undefined for all. */
function namespacesIn(discovery: ConfigMap | undefined): readonly string[] | undefined {
  const namespaces = discovery?.["namespaces"];
  const names = namespaces !== undefined && isConfigMap(namespaces) ? namespaces["names"] : undefined;
  return Array.isArray(names) ? names.map((name) => textOf(name)) : undefined;
}

function listIn(value: ConfigValue | undefined): ConfigMap[] {
  return (Array.isArray(value) ? value : []).filter((each) => isConfigMap(each));
}

test("for any monitor in any cluster as many targets are counted as Prometheus would scrape", () => {
  fc.assert(
    fc.property(monitor, cluster, (object, objects) => {
      const { jobs } = renderObjects(prometheus(), [object], { endpointSliceSupported: true });
      const [job] = jobs;
      if (job === undefined) throw new Error("It became no job.");
      // Kubernetes keeps finished pods out of endpoints, and so pods are not asked where the endpoints say enough.
      const isTrusting = job.targets.from === "services" && job.targets.port?.of === "endpoint";
      const inReality = isTrusting ? objects.filter(({ kind }) => kind !== "Pod") : objects;
      expect(new TargetCounter(factsOfObjects(objects).facts).count(job.targets)).toBe(
        scraped(job, inReality),
      );
    }),
    { numRuns: 2000 },
  );
});
