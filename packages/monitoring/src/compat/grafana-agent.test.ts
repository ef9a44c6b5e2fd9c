import { isRecord } from "@bowline/core";
import { describe, expect, test } from "vitest";

import {
  adoptGrafanaAgent,
  adoptGrafanaObjects,
  adoptMetricsInstance,
  metricsAgentResource,
  metricsInstanceResource,
  type Adopted,
  type KubeObject,
} from "../index.ts";
import { testRenderedWithPromtool } from "../testing/promtool-rendered.ts";
import {
  metricsInstance,
  object,
  parseConfig,
  renderObjects,
  secret,
  serviceMonitor,
} from "../testing/sample-objects.ts";

function grafana(kind: string, id: string, spec: unknown, labels?: Record<string, string>): KubeObject {
  return { ...object(kind, id, spec, labels), apiVersion: "monitoring.grafana.com/v1alpha1" };
}

/** The fields of the original, by what becomes of them. */
const agentFields = {
  taken:
    "logLevel logFormat apiServer podMetadata paused imagePullSecrets storage resources nodeSelector serviceAccountName affinity tolerations topologySpreadConstraints securityContext priorityClassName runtimeClassName portName metrics",
  none: "image version configReloaderImage configReloaderVersion volumes volumeMounts secrets configMaps containers initContainers enableConfigReadAPI disableReporting disableSupportBundle logs integrations",
};
const metricsFields =
  "remoteWrite replicas shards replicaExternalLabelName metricsExternalLabelName scrapeInterval scrapeTimeout externalLabels arbitraryFSAccessThroughSMs overrideHonorLabels overrideHonorTimestamps ignoreNamespaceSelectors enforcedNamespaceLabel enforcedSampleLimit enforcedTargetLimit instanceSelector instanceNamespaceSelector";

function filled(names: string, value: unknown = { emptyDir: {} }): Record<string, unknown> {
  return Object.fromEntries(names.split(" ").map((name) => [name, value]));
}

function specFields({ object: { spec } }: Adopted): string[] {
  return isRecord(spec) ? Object.keys(spec) : [];
}

describe("a GrafanaAgent", () => {
  test("keeps its name and labels, and becomes a MetricsAgent", () => {
    const agent = grafana("GrafanaAgent", "monitoring/main", {}, { team: "a" });
    expect(adoptGrafanaAgent(agent)).toEqual({
      object: {
        apiVersion: "monitoring.bowline.dev/v1alpha1",
        kind: "MetricsAgent",
        metadata: { namespace: "monitoring", name: "main", labels: { team: "a" } },
        spec: {},
      },
      unusedFields: [],
    });
  });

  test("has no field that is ignored silently", () => {
    const metrics = filled(metricsFields, "set");
    const spec = { ...filled(agentFields.taken), ...filled(agentFields.none), metrics };
    const adopted = adoptGrafanaAgent(grafana("GrafanaAgent", "monitoring/main", spec));
    expect(adopted.unusedFields.map(({ path }) => path).toSorted()).toEqual(
      agentFields.none
        .split(" ")
        .map((name) => `spec.${name}`)
        .toSorted(),
    );
    expect(adopted.unusedFields.every(({ reason }) => reason.endsWith("."))).toBe(true);
    const taken = `${agentFields.taken} ${metricsFields}`.replace("apiServer", "apiserverConfig").split(" ");
    expect(specFields(adopted).toSorted()).toEqual(taken.filter((name) => name !== "metrics").toSorted());
  });

  test("becomes nothing that a MetricsAgent does not have", () => {
    const spec = { ...filled(agentFields.taken), metrics: filled(metricsFields, "set") };
    const adopted = adoptGrafanaAgent(grafana("GrafanaAgent", "monitoring/main", spec));
    const known = new Set(Object.keys(metricsAgentResource.spec.properties));
    expect(specFields(adopted).filter((name) => !known.has(name))).toEqual([]);
  });

  test.each([
    [{ metrics: { replicas: -1, shards: 0 } }, { replicas: 0, shards: 1 }, []],
    [{ storage: { disableMountSubPath: true } }, {}, ["spec.storage.disableMountSubPath"]],
    [{ metrics: "all" }, {}, ["spec.metrics"]],
    [{ metrics: { typo: 1 } }, {}, ["spec.metrics.typo"]],
    [{ logs: {}, volumes: [], enableConfigReadAPI: false, image: null }, {}, []],
    [{ __proto__: null, constructor: 1, toString: "x" }, {}, ["spec.constructor", "spec.toString"]],
  ])("%j becomes %j", (spec, expected, paths) => {
    const adopted = adoptGrafanaAgent(grafana("GrafanaAgent", "a/b", spec));
    expect(adopted.object.spec).toEqual(expected);
    expect(adopted.unusedFields.map(({ path }) => path)).toEqual(paths);
  });
});

describe("its remote writes", () => {
  test("are ours in another spelling, and say what has no meaning", () => {
    const remoteWrite = [
      { url: "http://a", sigv4: { region: "eu", roleARN: "arn" } },
      { url: "http://b", queueConfig: { capacity: 5, maxRetries: 3 }, typo: 1 },
    ];
    const adopted = adoptGrafanaAgent(grafana("GrafanaAgent", "a/b", { metrics: { remoteWrite } }));
    expect(adopted.object.spec).toEqual({
      remoteWrite: [
        { url: "http://a", sigv4: { region: "eu", roleArn: "arn" } },
        { url: "http://b", queueConfig: { capacity: 5 } },
      ],
    });
    expect(adopted.unusedFields.map(({ path }) => path)).toEqual([
      "spec.metrics.remoteWrite[1].queueConfig.maxRetries",
      "spec.metrics.remoteWrite[1].typo",
    ]);
  });
});

test("a MetricsInstance has no field that is ignored silently, and becomes nothing that ours does not have", () => {
  const none = "walTruncateFrequency minWALTime maxWALTime remoteFlushDeadline writeStaleOnShutdown".split(
    " ",
  );
  const taken =
    "serviceMonitorSelector serviceMonitorNamespaceSelector podMonitorSelector podMonitorNamespaceSelector probeSelector probeNamespaceSelector remoteWrite additionalScrapeConfigs";
  const spec = { ...filled(taken, "set"), ...filled(none.join(" "), "1m") };
  const adopted = adoptMetricsInstance(grafana("MetricsInstance", "team/a", spec));
  expect(adopted.unusedFields.map(({ path }) => path)).toEqual(none.map((name) => `spec.${name}`));
  expect(adopted.object.spec).toEqual(filled(taken, "set"));
  expect(Object.keys(metricsInstanceResource.spec.properties)).toEqual(
    expect.arrayContaining(taken.split(" ")),
  );
});

describe("a set of objects", () => {
  const login = { name: "login", key: "value" };
  const objects = [
    grafana("GrafanaAgent", "monitoring/main", {
      image: "grafana/agent:v0.40.0",
      metrics: {
        externalLabels: { cluster: "eu" },
        instanceSelector: { matchLabels: { agent: "main" } },
        instanceNamespaceSelector: {},
        remoteWrite: [{ url: "http://shared", basicAuth: { username: login, password: login } }],
      },
    }),
    grafana("MetricsInstance", "team/a", { serviceMonitorSelector: {}, minWALTime: "5m" }, { agent: "main" }),
    metricsInstance("team/a", { serviceMonitorSelector: { matchLabels: { none: "none" } } }),
    grafana("LogsInstance", "team/logs", { clients: [{}] }),
    serviceMonitor("team/web"),
    secret("monitoring/login", { value: "hush" }),
  ];

  test("renders as the other operator's users expect, without our own instances of the same name", () => {
    const { roots, objects: given } = adoptGrafanaObjects(objects);
    const [root, ...others] = roots;
    expect(others).toEqual([]);
    const result = renderObjects(root ?? serviceMonitor("a/none"), given);
    expect(result.rejected).toEqual([]);
    const config = parseConfig(result);
    expect(config.scrape_configs.map((job) => job.job_name)).toEqual(["serviceMonitor/team/web/0"]);
    expect(config.global["external_labels"]).toEqual({
      __replica__: "replica-$(STATEFULSET_ORDINAL_NUMBER)",
      cluster: "eu",
    });
    expect(config.remote_write).toEqual([
      { url: "http://shared", basic_auth: { username: "hush", password: "hush" } },
    ]);
  });

  test("lists what has no meaning by object", () => {
    const said = adoptGrafanaObjects(objects).unusedFields.map(({ object: { kind, name }, fields }) => [
      `${kind}/${name}`,
      fields.map(({ path }) => path),
    ]);
    expect(said).toEqual([
      ["GrafanaAgent/main", ["spec.image"]],
      ["MetricsInstance/a", ["spec.minWALTime"]],
      ["LogsInstance/logs", ["spec"]],
    ]);
  });

  test("of a kind that nobody knows are left out, whatever it is called", () => {
    const { roots, objects: adopted, unusedFields } = adoptGrafanaObjects([grafana("valueOf", "team/a", {})]);
    expect([roots, adopted, unusedFields.length]).toEqual([[], [], 1]);
  });

  test("that are not adopted are not taken for ours", () => {
    const agent = object("MetricsAgent", "team/own", { instanceSelector: {} });
    const { explanation } = renderObjects(agent, [grafana("MetricsInstance", "team/a", {})]);
    expect(explanation.instances).toEqual([]);
  });
});

testRenderedWithPromtool();
