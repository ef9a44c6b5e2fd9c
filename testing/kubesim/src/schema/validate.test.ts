import { describe, expect, it } from "vitest";
import { applyDefaults } from "./apply-defaults.ts";
import { builtinSchema } from "./builtin.ts";
import type { JsonObject } from "./json-value.ts";
import { prune } from "./prune.ts";
import type { ObjectNode } from "./schema-node.ts";
import { validateCreate, validateUpdate } from "./validate.ts";

function schemaOf(group: string, kind: string): ObjectNode {
  const schema = builtinSchema(group, kind);
  if (schema === undefined) throw new Error(`no schema for ${kind}`);
  return schema;
}

const complete = (schema: ObjectNode, object: JsonObject): JsonObject =>
  applyDefaults(prune(object, schema), schema);

function problems(group: string, kind: string, object: JsonObject): string[] {
  const schema = schemaOf(group, kind);
  return validateCreate(complete(schema, object), schema).map(({ field, message }) => `${field}: ${message}`);
}

function changeProblems(group: string, kind: string, before: JsonObject, after: JsonObject): string[] {
  const schema = schemaOf(group, kind);
  return validateUpdate(complete(schema, before), complete(schema, after), schema).map(
    ({ field, message }) => `${field}: ${message}`,
  );
}

const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "a", image: "i" }] } };
const workload = { selector: { matchLabels: { app: "web" } }, template };

describe("validation of built-in kinds", () => {
  it.each([
    ["a pod without containers", "", "Pod", { spec: {} }, ["spec.containers: Required value"]],
    [
      "a container without name and image",
      "",
      "Pod",
      { spec: { containers: [{}] } },
      ["spec.containers[0].name: Required value", "spec.containers[0].image: Required value"],
    ],
    [
      "containers of the same name",
      "",
      "Pod",
      {
        spec: {
          containers: [
            { name: "a", image: "i" },
            { name: "a", image: "i" },
          ],
        },
      },
      ['spec.containers[1].name: Duplicate value: "a"'],
    ],
    [
      "an unknown choice",
      "",
      "Pod",
      { spec: { restartPolicy: "Sometimes", containers: [{ name: "a", image: "i" }] } },
      [
        'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
      ],
    ],
    [
      "ports out of range or with bad names",
      "",
      "Pod",
      {
        spec: {
          containers: [
            { name: "a", image: "i", ports: [{ containerPort: 70000 }, { containerPort: 1, name: "UP" }] },
          ],
        },
      },
      [
        "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
        'spec.containers[0].ports[1].name: Invalid value: "UP": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      ],
    ],
    [
      "a mount of a volume that is not there",
      "",
      "Pod",
      { spec: { containers: [{ name: "a", image: "i", volumeMounts: [{ name: "v", mountPath: "/v" }] }] } },
      ['spec.containers[0].volumeMounts[0].name: Not found: "v"'],
    ],
    [
      "requests above limits",
      "",
      "Pod",
      {
        spec: {
          containers: [
            { name: "a", image: "i", resources: { requests: { cpu: "2" }, limits: { cpu: "500m" } } },
          ],
        },
      },
      ['spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit'],
    ],
    [
      "a selector that does not fit the template",
      "apps",
      "Deployment",
      { spec: { selector: { matchLabels: { app: "other" } }, template } },
      [
        'spec.template.metadata.labels: Invalid value: map[string]string{"app":"web"}: `selector` does not match template `labels`',
      ],
    ],
    [
      "a deployment of nothing",
      "apps",
      "Deployment",
      { spec: {} },
      [
        "spec.selector: Required value",
        "spec.template.metadata.labels: Invalid value: map[string]string(nil): `selector` does not match template `labels`",
        "spec.template.spec.containers: Required value",
      ],
    ],
    [
      "fewer pods than none",
      "apps",
      "ReplicaSet",
      { spec: { ...workload, replicas: -1 } },
      ["spec.replicas: Invalid value: -1: must be greater than or equal to 0"],
    ],
    [
      "pods that end, in a deployment",
      "apps",
      "Deployment",
      {
        spec: { ...workload, template: { ...template, spec: { ...template.spec, restartPolicy: "Never" } } },
      },
      ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
    ],
    [
      "pods that never end, in a job",
      "batch",
      "Job",
      { spec: { template } },
      ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    ],
    ["a service without ports", "", "Service", { spec: {} }, ["spec.ports: Required value"]],
    [
      "several ports without names",
      "",
      "Service",
      { spec: { ports: [{ port: 80 }, { port: 81 }] } },
      ["spec.ports[0].name: Required value", "spec.ports[1].name: Required value"],
    ],
    [
      "a bad key",
      "",
      "ConfigMap",
      { data: { ok: "", "..": "" } },
      ["data[..]: Invalid value: \"..\": must not be '..'"],
    ],
    [
      "a certificate without its parts",
      "",
      "Secret",
      { type: "kubernetes.io/tls" },
      ["data[tls.crt]: Required value", "data[tls.key]: Required value"],
    ],
    [
      "a role that grants nothing",
      "rbac.authorization.k8s.io",
      "Role",
      { rules: [{ verbs: ["get"], resources: ["pods"] }] },
      ["rules[0].apiGroups: Required value: resource rules must supply at least one api group"],
    ],
    [
      "a binding of an unknown kind of role",
      "rbac.authorization.k8s.io",
      "RoleBinding",
      { roleRef: { kind: "Foo", name: "x" } },
      ['roleRef.kind: Unsupported value: "Foo": supported values: "Role", "ClusterRole"'],
    ],
    [
      "a schedule of one word",
      "batch",
      "CronJob",
      {
        spec: {
          schedule: "often",
          jobTemplate: {
            spec: { template: { ...template, spec: { ...template.spec, restartPolicy: "Never" } } },
          },
        },
      },
      ['spec.schedule: Invalid value: "often": Expected exactly 5 fields, found 1: often'],
    ],
  ])("refuses %s", (...[, group, kind, object, expected]) => {
    expect(problems(group, kind, object).toSorted()).toEqual(expected.toSorted());
  });

  it("accepts good objects", () => {
    expect(problems("", "Pod", { spec: template.spec })).toEqual([]);
    for (const kind of ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"]) {
      expect(problems("apps", kind, { spec: workload })).toEqual([]);
    }
    expect(problems("", "Service", { spec: { ports: [{ port: 80 }], selector: { a: "b" } } })).toEqual([]);
    expect(problems("", "Service", { spec: { clusterIP: "None" } })).toEqual([]);
    const expressions = [
      { key: "app", operator: "In", values: ["web"] },
      { key: "x", operator: "DoesNotExist" },
    ];
    expect(
      problems("apps", "Deployment", { spec: { selector: { matchExpressions: expressions }, template } }),
    ).toEqual([]);
  });
});

describe("changes of built-in kinds", () => {
  const pod = {
    spec: { containers: [{ name: "a", image: "i" }], tolerations: [{ key: "k", operator: "Exists" }] },
  };

  it("may not touch a deployment's selector", () => {
    const labels = { app: "other" };
    const after = {
      spec: { selector: { matchLabels: labels }, template: { ...template, metadata: { labels } } },
    };
    expect(changeProblems("apps", "Deployment", { spec: workload }, after)).toEqual([
      'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"app":"other"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable',
    ]);
  });

  it("lets the pods of a StatefulSet mount its claims", () => {
    const container = { name: "a", image: "i", volumeMounts: [{ name: "data", mountPath: "/data" }] };
    const pods = { ...template, spec: { containers: [container] } };
    const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    const claims = { volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claim }] };
    expect(problems("apps", "StatefulSet", { spec: { ...workload, template: pods, ...claims } })).toEqual([]);
    expect(problems("apps", "Deployment", { spec: { ...workload, template: pods } })).toEqual([
      'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"',
    ]);
  });

  it("may set a pod's image and add tolerations, but nothing else", () => {
    const image = { spec: { ...pod.spec, containers: [{ name: "a", image: "j" }] } };
    const tolerations = {
      spec: { ...pod.spec, tolerations: [...pod.spec.tolerations, { key: "n", operator: "Exists" }] },
    };
    expect(changeProblems("", "Pod", pod, image)).toEqual([]);
    expect(changeProblems("", "Pod", pod, tolerations)).toEqual([]);
    expect(changeProblems("", "Pod", tolerations, pod)).toEqual([
      "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds",
    ]);
    const command = { spec: { ...pod.spec, containers: [{ name: "a", image: "i", command: ["x"] }] } };
    expect(changeProblems("", "Pod", pod, command)).toEqual([
      expect.stringContaining("spec: Forbidden: pod updates may not change"),
    ]);
    const more = { spec: { ...pod.spec, containers: [...pod.spec.containers, { name: "b", image: "i" }] } };
    expect(changeProblems("", "Pod", pod, more)).toEqual([
      "spec.containers: Forbidden: pod updates may not add or remove containers",
    ]);
  });

  it.each([
    [
      "a service's address",
      "",
      "Service",
      { spec: { clusterIP: "10.0.0.1", ports: [{ port: 1 }] } },
      { spec: { clusterIP: "10.0.0.2", ports: [{ port: 1 }] } },
      "spec.clusterIPs[0]",
    ],
    ["a secret's type", "", "Secret", { type: "a" }, { type: "b" }, "type"],
    [
      "an immutable ConfigMap",
      "",
      "ConfigMap",
      { immutable: true, data: { a: "1" } },
      { immutable: true, data: { a: "2" } },
      "data",
    ],
    [
      "the name of a StatefulSet's service",
      "apps",
      "StatefulSet",
      { spec: { ...workload, serviceName: "a" } },
      { spec: { ...workload, serviceName: "b" } },
      "spec",
    ],
    [
      "the role that is bound",
      "rbac.authorization.k8s.io",
      "RoleBinding",
      { roleRef: { kind: "Role", name: "a" } },
      { roleRef: { kind: "Role", name: "b" } },
      "roleRef",
    ],
  ])("may not touch %s", (...[, group, kind, before, after, field]) => {
    expect(changeProblems(group, kind, before, after)).toEqual([
      expect.stringMatching(`^${field.replaceAll(/[[\]]/g, "\\$&")}: `),
    ]);
    expect(changeProblems(group, kind, before, before)).toEqual([]);
  });
});
