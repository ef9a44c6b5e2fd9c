import type { KubernetesObject } from "@bowline/api/agent-manifest";
import { describe, expect, test } from "vitest";

import { installationObjects } from "./installation-objects.ts";
import type { Release } from "./template/expression.ts";
import { sampleSettings } from "./testing/sample-settings.ts";
import { valueCases } from "./testing/value-cases.ts";
import { parseValues } from "./values/parse-values.ts";

const release: Release = { name: "bowline", namespace: "fleet", version: "1.2.3" };
const postgres = {
  database: { postgres: { existingSecret: "pg" } },
  encryption: { existingSecret: "keys" },
};

function objectsOf(values: object, at: Partial<Release> = {}): KubernetesObject[] {
  return installationObjects(parseValues(values, sampleSettings), { ...release, ...at }, sampleSettings);
}

function labelsOf(objects: readonly KubernetesObject[]): string[] {
  return objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
}

interface Container {
  readonly image: string;
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[];
  readonly startupProbe: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Pods {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly [Container];
        readonly terminationGracePeriodSeconds: number;
        readonly affinity?: object;
        readonly volumes: readonly { readonly name: string }[];
      };
    };
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
  };
}

function podsOf(objects: readonly KubernetesObject[]): Pods {
  const found = objects.find(({ kind }) => kind === "StatefulSet" || kind === "Deployment");
  if (found === undefined) throw new Error("Nothing makes pods.");
  return JSON.parse(JSON.stringify(found));
}

function environmentOf(values: object): Record<string, unknown> {
  const [container] = podsOf(objectsOf(values)).spec.template.spec.containers;
  return Object.fromEntries(container.env.map(({ name, value, valueFrom }) => [name, value ?? valueFrom]));
}

describe("an installation", () => {
  test("on SQLite is one pod with a volume, and what guards it", () => {
    expect(labelsOf(objectsOf({}))).toEqual([
      "ServiceAccount/bowline",
      "Service/bowline",
      "Service/bowline-headless",
      "NetworkPolicy/bowline",
      "StatefulSet/bowline",
    ]);
  });

  test("on SQLite puts a pod in the place of one that never comes up", () => {
    // Kubernetes waits for a broken pod to become ready before it changes it, unless the set says this.
    expect(podsOf(objectsOf({}))).toMatchObject({ spec: { podManagementPolicy: "Parallel" } });
  });

  test("on PostgreSQL is a Deployment that loses no server while it changes", () => {
    const objects = objectsOf({ ...postgres, replicas: 3 });
    expect(labelsOf(objects)).toEqual([
      "ServiceAccount/bowline",
      "PodDisruptionBudget/bowline",
      "Service/bowline",
      "NetworkPolicy/bowline",
      "Deployment/bowline",
    ]);
    expect(podsOf(objects)).toMatchObject({
      spec: {
        replicas: 3,
        strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        template: { spec: { affinity: { podAntiAffinity: expect.anything() } } },
      },
    });
  });

  test("has a disruption budget of the version that its Kubernetes has", () => {
    const versionOn = (kubernetesVersion?: string): string | undefined =>
      objectsOf(
        { ...postgres, replicas: 2 },
        kubernetesVersion === undefined ? {} : { kubernetesVersion },
      ).find(({ kind }) => kind === "PodDisruptionBudget")?.apiVersion;
    expect([versionOn("1.20"), versionOn("1.21.3"), versionOn()]).toEqual([
      "policy/v1beta1",
      "policy/v1",
      "policy/v1",
    ]);
  });

  test("lets a server that is not ready be evicted, where Kubernetes knows how to say so", () => {
    const policyOn = (kubernetesVersion: string): unknown =>
      objectsOf({ ...postgres, replicas: 2 }, { kubernetesVersion }).find(
        ({ kind }) => kind === "PodDisruptionBudget",
      )?.["spec"];
    expect(policyOn("1.27")).toMatchObject({ unhealthyPodEvictionPolicy: "AlwaysAllow" });
    expect(policyOn("1.26")).not.toHaveProperty("unhealthyPodEvictionPolicy");
  });

  test("has as much time to start as the values say, and a rollout is not given up before", () => {
    const startOf = (values: object): unknown => {
      const { spec } = podsOf(objectsOf(values));
      const [container] = spec.template.spec.containers;
      return { ...spec, startupProbe: container.startupProbe };
    };
    expect(startOf({})).toMatchObject({ startupProbe: { periodSeconds: 5, failureThreshold: 120 } });
    expect(startOf({ ...postgres, probes: { startupSeconds: 3601 } })).toMatchObject({
      startupProbe: { periodSeconds: 5, failureThreshold: 721 },
      progressDeadlineSeconds: 3661,
    });
  });

  test.each(valueCases())("runs as nobody and can write nowhere it need not, with $name", ({ values }) => {
    const objects = objectsOf(values);
    const { spec, ...rest } = podsOf(objects);
    expect(rest).toMatchObject({ metadata: { name: "bowline", namespace: "fleet" } });
    expect(spec.template.spec).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 65_532,
        seccompProfile: { type: "RuntimeDefault" },
      },
      containers: [
        {
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ["ALL"] },
          },
          livenessProbe: { httpGet: { path: "/livez", scheme: "HTTPS" } },
          readinessProbe: { httpGet: { path: "/readyz", scheme: "HTTPS" } },
        },
      ],
    });
    expect(JSON.stringify(objects)).not.toMatch(/null|undefined|"kind":"Secret"/u);
  });

  test.each(valueCases())(
    "mounts every volume it has, and has every volume it mounts, with $name",
    ({ values }) => {
      const { template, volumeClaimTemplates = [] } = podsOf(objectsOf(values)).spec;
      const volumes = [
        ...template.spec.volumes.map(({ name }) => name),
        ...volumeClaimTemplates.map(({ metadata }) => metadata.name),
      ];
      const mounted = template.spec.containers[0].volumeMounts.map(({ name }) => name);
      expect(mounted.toSorted()).toEqual(volumes.toSorted());
      expect(new Set(mounted).size).toBe(mounted.length);
    },
  );

  test("is told where it is reached: by the host of the ingress or the gateway, or as the values say", () => {
    const urlOf = (values: object): unknown => environmentOf(values)["BOWLINE_ADVERTISED_URL"];
    const ingress = { enabled: true, host: "in.example.com" };
    const gateway = { enabled: true, host: "gw.example.com", parentRef: { name: "g" } };
    expect([
      urlOf({}),
      urlOf({ service: { port: 443 } }),
      urlOf({ ingress }),
      urlOf({ gateway }),
      urlOf({ ingress, gateway, url: "https://b.example.com" }),
    ]).toEqual([
      "https://bowline.fleet.svc:7443",
      "https://bowline.fleet.svc:443",
      "https://in.example.com",
      "https://gw.example.com",
      "https://b.example.com",
    ]);
  });

  test("gives settings to the server as variables, and secrets by reference", () => {
    expect(
      environmentOf({
        settings: {
          trustedProxies: ["10.0.0.0/8", "192.0.2.1"],
          limits: { requests: 1_000_000 },
          oidc: {
            issuer: "https://id.example.com",
            clientId: "bowline",
            clientSecret: { existingSecret: "oidc", key: "secret" },
          },
        },
      }),
    ).toMatchObject({
      BOWLINE_TRUSTED_PROXIES: "10.0.0.0/8,192.0.2.1",
      BOWLINE_LIMITS_REQUESTS: "1000000",
      BOWLINE_OIDC_ISSUER: "https://id.example.com",
      BOWLINE_OIDC_CLIENT_SECRET: { secretKeyRef: { name: "oidc", key: "secret" } },
    });
  });

  test("has a heap of three quarters of its memory, and as much time to end as it takes to drain", () => {
    const heapOf = (memory: string | null): unknown =>
      environmentOf({ resources: { limits: { memory } } })["NODE_OPTIONS"];
    expect([heapOf("2Gi"), heapOf("500Mi"), heapOf(null)]).toEqual([
      "--max-old-space-size=1536",
      "--max-old-space-size=375",
      undefined,
    ]);
    const { spec } = podsOf(objectsOf({ drain: { delaySeconds: 10, timeSeconds: 60 } }));
    expect(spec.template.spec.terminationGracePeriodSeconds).toBe(80);
  });

  test("lets in whoever comes, and out to DNS, to other servers and to the ports that are named", () => {
    const policy = objectsOf({ networkPolicy: { egressPorts: [443] } }).find(
      ({ kind }) => kind === "NetworkPolicy",
    );
    expect(policy).toMatchObject({
      spec: {
        ingress: [{ ports: [{ port: 7443 }] }],
        egress: [
          {
            ports: [
              { port: 53, protocol: "UDP" },
              { port: 53, protocol: "TCP" },
            ],
          },
          { to: [{ podSelector: expect.anything() }], ports: [{ port: 7443 }] },
          { ports: [{ port: 443 }] },
        ],
      },
    });
  });

  test("lets servers in to each other whoever else may come", () => {
    const from = [{ namespaceSelector: { matchLabels: { name: "ingress" } } }];
    const policy = objectsOf({ networkPolicy: { from } }).find(({ kind }) => kind === "NetworkPolicy");
    const ports = [{ port: 7443, protocol: "TCP" }];
    const matchLabels = { "app.kubernetes.io/name": "bowline", "app.kubernetes.io/instance": "bowline" };
    expect(policy).toMatchObject({
      spec: {
        ingress: [
          { ports, from },
          { ports, from: [{ podSelector: { matchLabels } }] },
        ],
      },
    });
  });

  test("asks cert-manager for every name it is called by", () => {
    const certificate = objectsOf({
      tls: { certManager: { issuerRef: { name: "ca" } }, names: ["b.example.com"] },
      ingress: { enabled: true, host: "in.example.com" },
    }).find(({ kind }) => kind === "Certificate");
    expect(certificate).toMatchObject({
      spec: {
        secretName: "bowline-tls",
        issuerRef: { name: "ca", kind: "Issuer", group: "cert-manager.io" },
        dnsNames: ["bowline", "bowline.fleet", "bowline.fleet.svc", "in.example.com", "b.example.com"],
      },
    });
  });
});
