import { describe, expect, test } from "vitest";

import { factsOf, toldEdges, toldEdgesOf } from "./testing/told.ts";

const digest = `sha256:${"ab".repeat(32)}`;

function pod(spec: object, status: object = {}): ReturnType<typeof factsOf> {
  return factsOf("v1", "Pod", { spec: { containers: [], ...spec }, status });
}

function container(fields: object): ReturnType<typeof factsOf> {
  return pod({ containers: [{ name: "app", ...fields }] });
}

function volume(fields: object): ReturnType<typeof factsOf> {
  return pod({ volumes: [{ name: "data", ...fields }] });
}

describe("a container reads", () => {
  test.each([
    [
      "a key of a Secret",
      {
        env: [
          { name: "A", value: "x" },
          { name: "DB", valueFrom: { secretKeyRef: { name: "db", key: "password" } } },
        ],
      },
      "USES_SECRET: containers/app → Secret/shop/db, /spec/containers/0/env/1/valueFrom/secretKeyRef (env=DB key=password)",
    ],
    [
      "a key of a ConfigMap that need not be there",
      {
        env: [{ name: "R", valueFrom: { configMapKeyRef: { name: "site", key: "region", optional: true } } }],
      },
      "USES_CONFIGMAP: containers/app → ConfigMap/shop/site, /spec/containers/0/env/0/valueFrom/configMapKeyRef (env=R key=region optional)",
    ],
    [
      "a whole Secret",
      { envFrom: [{ prefix: "DB_", secretRef: { name: "db", optional: false } }] },
      "USES_SECRET: containers/app → Secret/shop/db, /spec/containers/0/envFrom/0/secretRef (prefix=DB_)",
    ],
    [
      "a whole ConfigMap",
      { envFrom: [{}, { configMapRef: { name: "site", optional: true } }] },
      "USES_CONFIGMAP: containers/app → ConfigMap/shop/site, /spec/containers/0/envFrom/1/configMapRef (optional)",
    ],
  ])("%s", (_what, fields, told) => {
    expect(toldEdgesOf(container(fields), "USES_SECRET", "USES_CONFIGMAP")).toEqual([told]);
  });

  test.each(["initContainers", "ephemeralContainers"])("also where it is one of the %s", (list) => {
    const env = [{ name: "DB", valueFrom: { secretKeyRef: { name: "db", key: "password" } } }];
    expect(toldEdges(pod({ [list]: [{ name: "setup", env }] }))).toEqual(
      expect.arrayContaining([
        `HAS_CONTAINER: it → ${list}/setup, /spec/${list}/0`,
        `USES_SECRET: ${list}/setup → Secret/shop/db, /spec/${list}/0/env/0/valueFrom/secretKeyRef (env=DB key=password)`,
      ]),
    );
  });
});

describe("behind a volume is", () => {
  const isBehind = ["USES_SECRET", "USES_CONFIGMAP", "BACKED_BY"];

  test.each<readonly [object, string]>([
    [{ secret: { secretName: "db" } }, "USES_SECRET: data → Secret/shop/db, /spec/volumes/0/secret"],
    [
      {
        secret: {
          secretName: "db",
          optional: true,
          items: [
            { key: "ca", path: "x" },
            { key: "key", path: "y" },
          ],
        },
      },
      "USES_SECRET: data → Secret/shop/db, /spec/volumes/0/secret (keys=ca+key optional)",
    ],
    [
      { configMap: { name: "site" } },
      "USES_CONFIGMAP: data → ConfigMap/shop/site, /spec/volumes/0/configMap",
    ],
    [
      { projected: { sources: [{ downwardAPI: {} }, { secret: { name: "db", optional: true } }] } },
      "USES_SECRET: data → Secret/shop/db, /spec/volumes/0/projected/sources/1/secret (optional)",
    ],
    [
      { projected: { sources: [{ configMap: { name: "site" } }] } },
      "USES_CONFIGMAP: data → ConfigMap/shop/site, /spec/volumes/0/projected/sources/0/configMap",
    ],
    [
      { persistentVolumeClaim: { claimName: "data-0" } },
      "BACKED_BY: data → PersistentVolumeClaim/shop/data-0, /spec/volumes/0/persistentVolumeClaim",
    ],
    [
      { ephemeral: { volumeClaimTemplate: {} } },
      "BACKED_BY: data → PersistentVolumeClaim/shop/web-data, /spec/volumes/0/ephemeral",
    ],
    [
      { csi: { driver: "d", nodePublishSecretRef: { name: "db" } } },
      "USES_SECRET: data → Secret/shop/db, /spec/volumes/0/csi/nodePublishSecretRef",
    ],
    [
      { azureFile: { secretName: "db", shareName: "x" } },
      "USES_SECRET: data → Secret/shop/db, /spec/volumes/0/azureFile/secretName",
    ],
    ...["cephfs", "cinder", "flexVolume", "iscsi", "rbd", "scaleIO", "storageos"].map(
      (type) =>
        [
          { [type]: { secretRef: { name: "db" } } },
          `USES_SECRET: data → Secret/shop/db, /spec/volumes/0/${type}/secretRef`,
        ] as const,
    ),
    [
      { image: { reference: "models:v1" } },
      "BACKED_BY: data → ContainerImage//ref:docker.io/library/models:v1, /spec/volumes/0/image/reference (reference=docker.io/library/models:v1 registry=docker.io repository=library/models tag=v1)",
    ],
  ])("%j", (fields, told) => {
    expect(toldEdgesOf(volume(fields), ...isBehind)).toEqual([told]);
  });

  test.each([
    [{ emptyDir: { medium: "Memory" } }, { type: "emptyDir", medium: "Memory" }],
    [{ hostPath: { path: "/", type: "Directory" } }, { type: "hostPath", path: "/" }],
    [
      { nfs: { server: "files", path: "/a", readOnly: true } },
      { type: "nfs", server: "files", path: "/a", readOnly: true },
    ],
    [{ flexVolume: { driver: "d" } }, { type: "flexVolume", driver: "d" }],
    [{ gcePersistentDisk: { pdName: "x" } }, { type: "gcePersistentDisk" }],
    [
      {
        csi: {
          driver: "secrets-store.csi.k8s.io",
          volumeAttributes: { secretProviderClass: "vault", other: "x" },
        },
      },
      { type: "csi", driver: "secrets-store.csi.k8s.io", secretProviderClass: "vault" },
    ],
    [
      { projected: { sources: [{ serviceAccountToken: { path: "t", audience: "vault" } }] } },
      { type: "projected", serviceAccountToken: true, audiences: ["vault"] },
    ],
    [{ somethingNew: {} }, {}],
  ])("nothing of the cluster's: %j", (fields, properties) => {
    const facts = volume(fields);
    expect(toldEdgesOf(facts, ...isBehind)).toEqual([]);
    expect(facts.parts).toEqual([
      { node: { kind: "Volume", namespace: "shop", name: "web/data" }, properties },
    ]);
  });
});

test("a pod has containers, which mount its volumes", () => {
  const facts = pod({
    volumes: [{ name: "data", emptyDir: {} }],
    containers: [
      {
        name: "app",
        volumeMounts: [
          {
            name: "data",
            mountPath: "/data",
            subPath: "a",
            readOnly: true,
            mountPropagation: "Bidirectional",
          },
          { name: "none", mountPath: "/x" },
        ],
        volumeDevices: [{ name: "data", devicePath: "/dev/a" }],
      },
    ],
  });
  expect(toldEdgesOf(facts, "HAS_CONTAINER", "USES_VOLUME")).toEqual([
    "USES_VOLUME: it → data, /spec/volumes/0",
    "HAS_CONTAINER: it → containers/app, /spec/containers/0",
    "USES_VOLUME: containers/app → data, /spec/containers/0/volumeMounts/0 (mountPath=/data subPath=a readOnly mountPropagation=Bidirectional)",
    "USES_VOLUME: containers/app → data, /spec/containers/0/volumeDevices/0 (devicePath=/dev/a)",
  ]);
});

test("a pod runs on a node as a ServiceAccount, and pulls images with Secrets", () => {
  const spec = { nodeName: "worker-1", serviceAccountName: "shop", imagePullSecrets: [{ name: "registry" }] };
  expect(toldEdges(pod(spec))).toEqual([
    "RUNS_ON: it → Node//worker-1, /spec/nodeName",
    "RUNS_AS: it → ServiceAccount/shop/shop, /spec/serviceAccountName",
    "USES_SECRET: it → Secret/shop/registry, /spec/imagePullSecrets/0 (isForPulling)",
  ]);
});

test("a pod that names no ServiceAccount runs as the default one", () => {
  expect(toldEdges(pod({}))).toEqual(["RUNS_AS: it → ServiceAccount/shop/default, /spec (isDefaulted)"]);
});

const tokenVolume = { name: "api", projected: { sources: [{ serviceAccountToken: { path: "token" } }] } };
const otherVolume = { name: "map", projected: { sources: [{ configMap: { name: "map" } }] } };

test.each([
  ["nothing: its ServiceAccount decides", { volumes: [otherVolume] }, undefined],
  ["that none is mounted", { automountServiceAccountToken: false }, false],
  ["that one is mounted", { automountServiceAccountToken: true }, true],
  ["by a volume that it has one", { volumes: [otherVolume, tokenVolume] }, true],
  [
    "by a volume that it has one of its own",
    { automountServiceAccountToken: false, volumes: [tokenVolume] },
    true,
  ],
  [
    "nonsense",
    { automountServiceAccountToken: "false", volumes: [{ projected: { sources: [1] } }] },
    undefined,
  ],
])("of the token of a ServiceAccount a pod, or its template, may say %s", (_, spec, expected) => {
  const workload = factsOf("apps/v1", "Deployment", { spec: { template: { spec } } });
  for (const { edges } of [pod(spec), workload]) {
    const runsAs = edges.find(({ type }) => type === "RUNS_AS");
    expect(runsAs?.properties?.["mountsToken"]).toBe(expected);
  }
});

test("a pod belongs to its owners, also one that is in no namespace", () => {
  const ownerReferences = [
    { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-1", uid: "u1", controller: true },
    { apiVersion: "v1", kind: "Node", name: "worker-1", uid: "u2" },
    { apiVersion: "example.com/v1", kind: "Widget", name: "w", uid: "u3" },
  ];
  expect(toldEdgesOf(factsOf("v1", "Pod", { metadata: { ownerReferences } }), "OWNS")).toEqual([
    "OWNS: ReplicaSet/shop/web-1 → it, /metadata/ownerReferences/0 (controller)",
    "OWNS: Node//worker-1 → it, /metadata/ownerReferences/1",
    "OWNS: Widget.example.com/shop/w → it, /metadata/ownerReferences/2 (uid=u3)",
  ]);
});

describe("the image that runs is told", () => {
  test.each([
    ["containers", "containerStatuses"],
    ["initContainers", "initContainerStatuses"],
    ["ephemeralContainers", "ephemeralContainerStatuses"],
  ])("by the digest that the kubelet reports: %s", (list, statuses) => {
    const facts = pod(
      { [list]: [{ name: "app", image: "nginx:1.27" }] },
      {
        [statuses]: [
          { name: "other", imageID: "x" },
          { name: "app", imageID: `docker.io/library/nginx@${digest}` },
        ],
      },
    );
    expect(toldEdgesOf(facts, "RUNS_IMAGE")).toEqual([
      `RUNS_IMAGE: ${list}/app → ContainerImage//${digest}, /spec/${list}/0/image (reference=docker.io/library/nginx:1.27 registry=docker.io repository=library/nginx tag=1.27)`,
    ]);
  });

  test("by its reference until then", () => {
    const facts = pod(
      { containers: [{ name: "app", image: "nginx" }] },
      { containerStatuses: [{ name: "app", imageID: "" }] },
    );
    expect(toldEdgesOf(facts, "RUNS_IMAGE")[0]).toContain(
      "→ ContainerImage//ref:docker.io/library/nginx:latest,",
    );
  });
});

test("what is unusual about a pod and its containers is told, and no value of a variable", () => {
  const facts = pod(
    {
      hostNetwork: true,
      hostPID: true,
      hostIPC: true,
      hostUsers: false,
      automountServiceAccountToken: false,
      priorityClassName: "high",
      runtimeClassName: "gvisor",
      securityContext: { runAsUser: 1000, runAsNonRoot: true },
      containers: [
        {
          name: "app",
          command: ["run", "--password=canary"],
          args: ["canary"],
          env: [
            { name: "PASSWORD", value: "canary" },
            { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
            { name: "DB", valueFrom: { secretKeyRef: { name: "db", key: "password" } } },
          ],
          ports: [{ containerPort: 80 }, { containerPort: 53, hostPort: 53, protocol: "UDP" }],
          securityContext: {
            privileged: true,
            runAsUser: 0,
            runAsNonRoot: false,
            allowPrivilegeEscalation: true,
            readOnlyRootFilesystem: true,
            capabilities: { add: ["SYS_ADMIN"], drop: ["ALL"] },
          },
        },
      ],
    },
    { phase: "Running", podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] },
  );
  expect(facts.properties).toEqual({
    phase: "Running",
    ip: "10.0.0.1",
    ips: ["10.0.0.1", "fd00::1"],
    hostNetwork: true,
    hostPID: true,
    hostIPC: true,
    hostUsers: false,
    automountServiceAccountToken: false,
    priorityClass: "high",
    runtimeClass: "gvisor",
    runAsUser: 1000,
    runAsNonRoot: true,
  });
  expect(facts.parts[0]?.properties).toEqual({
    env: ["PASSWORD", "POD_IP"],
    ports: ["80/TCP", "53/UDP"],
    hostPorts: ["53/UDP"],
    privileged: true,
    runAsUser: 0,
    runAsNonRoot: false,
    allowPrivilegeEscalation: true,
    readOnlyRootFilesystem: true,
    addedCapabilities: ["SYS_ADMIN"],
  });
  expect(JSON.stringify(facts)).not.toContain("canary");
});
