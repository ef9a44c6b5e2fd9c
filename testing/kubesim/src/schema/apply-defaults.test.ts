import { describe, expect, it } from "vitest";
import { applyDefaults } from "./apply-defaults.ts";
import { builtinSchema } from "./builtin.ts";
import type { JsonObject } from "./json-value.ts";
import { prune } from "./prune.ts";

function withDefaults(group: string, kind: string, object: JsonObject): JsonObject {
  const schema = builtinSchema(group, kind);
  if (schema === undefined) throw new Error(`no schema for ${kind}`);
  return applyDefaults(prune(object, schema), schema);
}

const pod = (spec: object): JsonObject => withDefaults("", "Pod", { metadata: {}, spec });

describe("the defaults of built-in kinds", () => {
  it("complete a pod", () => {
    expect(
      pod({ containers: [{ name: "a", image: "web:1", ports: [{ containerPort: 80 }] }] })["spec"],
    ).toEqual({
      containers: [
        {
          name: "a",
          image: "web:1",
          imagePullPolicy: "IfNotPresent",
          ports: [{ containerPort: 80, protocol: "TCP" }],
          resources: {},
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
        },
      ],
      dnsPolicy: "ClusterFirst",
      enableServiceLinks: true,
      restartPolicy: "Always",
      schedulerName: "default-scheduler",
      securityContext: {},
      terminationGracePeriodSeconds: 30,
    });
  });

  it.each([
    ["web", "Always"],
    ["web:latest", "Always"],
    ["web:1", "IfNotPresent"],
    ["registry:5000/web", "Always"],
    ["registry:5000/web:1", "IfNotPresent"],
    ["web@sha256:abc", "IfNotPresent"],
  ])("choose how %s is pulled: %s", (image, imagePullPolicy) => {
    expect(pod({ containers: [{ name: "a", image }] })).toMatchObject({
      spec: { containers: [{ imagePullPolicy }] },
    });
  });

  it("complete probes, volumes, references and requests", () => {
    const spec = {
      containers: [
        {
          name: "a",
          livenessProbe: { httpGet: { port: 80 } },
          resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "500m" } },
          env: [{ name: "N", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
        },
      ],
      volumes: [{ name: "v" }, { name: "s", secret: { secretName: "x" } }],
    };
    expect(pod(spec)).toMatchObject({
      spec: {
        containers: [
          {
            livenessProbe: { httpGet: { path: "/", scheme: "HTTP" }, periodSeconds: 10, failureThreshold: 3 },
            resources: { requests: { cpu: "500m", memory: "1Gi" } },
            env: [{ valueFrom: { fieldRef: { apiVersion: "v1" } } }],
          },
        ],
        volumes: [{ emptyDir: {} }, { secret: { defaultMode: 420 } }],
      },
    });
  });

  it("give a deployment replicas and a rolling update, but a template no more than it needs", () => {
    const { spec } = withDefaults("apps", "Deployment", {
      metadata: {},
      spec: { template: { spec: { containers: [] } } },
    });
    expect(spec).toMatchObject({
      replicas: 1,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    });
    expect(JSON.stringify(spec)).not.toContain("enableServiceLinks");
    expect(
      withDefaults("apps", "Deployment", { spec: { replicas: 0, strategy: { type: "Recreate" } } }),
    ).toMatchObject({
      spec: { replicas: 0, strategy: { type: "Recreate" } },
    });
  });

  it("point the ports of a service at the pods' ports of the same number", () => {
    expect(withDefaults("", "Service", { spec: { ports: [{ port: 80 }] } })["spec"]).toEqual({
      ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
      sessionAffinity: "None",
      type: "ClusterIP",
    });
    expect(withDefaults("", "Service", { spec: { type: "NodePort" } })["spec"]).toMatchObject({
      externalTrafficPolicy: "Cluster",
    });
  });

  it("encode the text data of a secret", () => {
    const secret = withDefaults("", "Secret", { data: { a: "eA==" }, stringData: { b: "y" } });
    expect(secret).toMatchObject({ type: "Opaque", data: { a: "eA==", b: "eQ==" } });
    expect(secret).not.toHaveProperty("stringData");
  });

  it("derive names, groups, counts and types from what is there", () => {
    const names = { plural: "things", kind: "Thing" };
    expect(
      withDefaults("apiextensions.k8s.io", "CustomResourceDefinition", { spec: { names } }),
    ).toMatchObject({
      spec: { conversion: { strategy: "None" }, names: { singular: "thing", listKind: "ThingList" } },
    });
    expect(withDefaults("batch", "Job", { spec: {} })["spec"]).toMatchObject({
      completions: 1,
      parallelism: 1,
      backoffLimit: 6,
    });
    expect(withDefaults("batch", "Job", { spec: { parallelism: 2 } })["spec"]).not.toHaveProperty(
      "completions",
    );
    expect(
      withDefaults("networking.k8s.io", "NetworkPolicy", { spec: { egress: [{}] } })["spec"],
    ).toMatchObject({
      policyTypes: ["Ingress", "Egress"],
    });
    expect(
      withDefaults("rbac.authorization.k8s.io", "RoleBinding", {
        roleRef: { kind: "Role", name: "r" },
        subjects: [{ kind: "User", name: "u" }],
      }),
    ).toMatchObject({
      roleRef: { apiGroup: "rbac.authorization.k8s.io" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io" }],
    });
  });

  it("leave an object alone that has them", () => {
    const complete = pod({ containers: [{ name: "a", image: "i" }] });
    expect(withDefaults("", "Pod", complete)).toEqual(complete);
  });
});
