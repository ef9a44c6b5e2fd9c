/**
 * Pods as a busy cluster holds them: about 8 KB of JSON each, a third of it managedFields, with env, volumes, probes,
 * conditions and container statuses. The same index always gives the same pod, so that runs can be compared.
 */
export interface BenchPod {
  readonly apiVersion: "v1";
  readonly kind: "Pod";
  readonly metadata: Record<string, unknown> & { readonly name: string; readonly namespace: string };
  readonly spec: Record<string, unknown>;
  readonly status: Record<string, unknown>;
}

const namespaces = 40;
const podsPerReplicaSet = 5;
const nodes = 250;

export function benchPod(index: number): BenchPod {
  const owner = Math.floor(index / podsPerReplicaSet);
  const identity: PodIdentity = {
    index,
    namespace: `team-${String(owner % namespaces).padStart(2, "0")}`,
    app: `${["checkout", "catalog", "payments", "search", "shipping"][owner % 5]}-${owner % 200}`,
    hash: hex(owner, 10),
    node: `node-${String(index % nodes).padStart(3, "0")}.eu-west-1.compute.internal`,
    createdAt: timestamp(index),
  };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: metadata(identity, owner),
    spec: spec(identity),
    status: status(identity),
  };
}

interface PodIdentity {
  readonly index: number;
  readonly namespace: string;
  readonly app: string;
  readonly hash: string;
  readonly node: string;
  readonly createdAt: string;
}

function metadata(pod: PodIdentity, owner: number): BenchPod["metadata"] {
  const replicaSet = `${pod.app}-${pod.hash}`;
  return {
    name: `${replicaSet}-${hex(pod.index + 7, 5)}`,
    generateName: `${replicaSet}-`,
    namespace: pod.namespace,
    uid: uid(pod.index),
    resourceVersion: String(100_000 + pod.index),
    generation: 1,
    creationTimestamp: pod.createdAt,
    labels: {
      "app.kubernetes.io/name": pod.app,
      "app.kubernetes.io/instance": `${pod.app}-production`,
      "app.kubernetes.io/part-of": "webshop",
      "app.kubernetes.io/managed-by": "Helm",
      "app.kubernetes.io/version": `1.${owner % 40}.0`,
      "pod-template-hash": pod.hash,
      "topology.bowline.dev/zone": `eu-west-1${"abc"[owner % 3]}`,
    },
    annotations: {
      "checksum/config": hex(owner, 64),
      "prometheus.io/scrape": "true",
      "prometheus.io/port": "9090",
      "prometheus.io/path": "/metrics",
      "cluster-autoscaler.kubernetes.io/safe-to-evict": "true",
    },
    ownerReferences: [
      {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        name: replicaSet,
        uid: uid(1_000_000 + owner),
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
    managedFields: managedFields(pod),
  };
}

function managedFields(pod: PodIdentity): unknown[] {
  const container = {
    ".": {},
    "f:env": Object.fromEntries(
      envNames.map((name) => [`k:{"name":"${name}"}`, { ".": {}, "f:name": {}, "f:value": {} }]),
    ),
    "f:image": {},
    "f:imagePullPolicy": {},
    "f:livenessProbe": probeFields,
    "f:name": {},
    "f:ports": {
      ".": {},
      'k:{"containerPort":8080,"protocol":"TCP"}': { ".": {}, "f:containerPort": {}, "f:protocol": {} },
    },
    "f:readinessProbe": probeFields,
    "f:resources": {
      ".": {},
      "f:limits": { ".": {}, "f:memory": {} },
      "f:requests": { ".": {}, "f:cpu": {}, "f:memory": {} },
    },
    "f:terminationMessagePath": {},
    "f:terminationMessagePolicy": {},
    "f:volumeMounts": {
      ".": {},
      'k:{"mountPath":"/etc/config"}': { ".": {}, "f:mountPath": {}, "f:name": {} },
    },
  };
  const created = {
    "f:metadata": {
      "f:annotations": {},
      "f:generateName": {},
      "f:labels": { ".": {}, "f:pod-template-hash": {} },
      "f:ownerReferences": { ".": {}, [`k:{"uid":"${uid(pod.index)}"}`]: {} },
    },
    "f:spec": {
      "f:containers": { 'k:{"name":"app"}': container },
      "f:dnsPolicy": {},
      "f:restartPolicy": {},
      "f:schedulerName": {},
      "f:securityContext": {},
      "f:volumes": {},
    },
  };
  const reported = {
    "f:status": {
      "f:conditions": Object.fromEntries(
        conditionTypes.map((type) => [
          `k:{"type":"${type}"}`,
          { ".": {}, "f:lastProbeTime": {}, "f:lastTransitionTime": {}, "f:status": {}, "f:type": {} },
        ]),
      ),
      "f:containerStatuses": {},
      "f:hostIP": {},
      "f:phase": {},
      "f:podIP": {},
      "f:podIPs": {},
      "f:startTime": {},
    },
  };
  const entry = { operation: "Update", apiVersion: "v1", time: pod.createdAt, fieldsType: "FieldsV1" };
  return [
    { manager: "kube-controller-manager", ...entry, fieldsV1: created },
    { manager: "kubelet", ...entry, fieldsV1: reported, subresource: "status" },
  ];
}

const conditionTypes = [
  "PodReadyToStartContainers",
  "Initialized",
  "Ready",
  "ContainersReady",
  "PodScheduled",
];
const envNames = [
  "DATABASE_HOST",
  "DATABASE_POOL_SIZE",
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "LOG_LEVEL",
  "FEATURE_FLAGS",
  "REGION",
];
const probeFields = {
  ".": {},
  "f:failureThreshold": {},
  "f:httpGet": { ".": {}, "f:path": {}, "f:port": {}, "f:scheme": {} },
  "f:periodSeconds": {},
  "f:timeoutSeconds": {},
};

function spec(pod: PodIdentity): Record<string, unknown> {
  const tokenMount = {
    name: "kube-api-access",
    readOnly: true,
    mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
  };
  return {
    volumes: [
      { name: "config", configMap: { name: `${pod.app}-config`, defaultMode: 420 } },
      { name: "cache", emptyDir: { sizeLimit: "256Mi" } },
      {
        name: "kube-api-access",
        projected: {
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
            { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
            {
              downwardAPI: {
                items: [
                  { path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } },
                ],
              },
            },
          ],
          defaultMode: 420,
        },
      },
    ],
    containers: [
      {
        name: "app",
        image: image(pod),
        ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
        env: envNames.map((name) => ({
          name,
          value: `${name.toLowerCase()}.${pod.namespace}.svc.cluster.local`,
        })),
        resources: { limits: { memory: "512Mi" }, requests: { cpu: "250m", memory: "256Mi" } },
        volumeMounts: [
          { name: "config", mountPath: "/etc/config" },
          { name: "cache", mountPath: "/var/cache/app" },
          tokenMount,
        ],
        livenessProbe: probe("/healthz"),
        readinessProbe: probe("/readyz"),
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        imagePullPolicy: "IfNotPresent",
        securityContext: {
          capabilities: { drop: ["ALL"] },
          runAsNonRoot: true,
          readOnlyRootFilesystem: true,
        },
      },
      {
        name: "proxy",
        image: "registry.example.com/platform/proxy:2.4.1",
        args: ["--config=/etc/config/proxy.yaml", "--admin=127.0.0.1:9901", "--log-level=warn"],
        resources: { limits: { memory: "128Mi" }, requests: { cpu: "50m", memory: "64Mi" } },
        volumeMounts: [tokenMount],
        imagePullPolicy: "IfNotPresent",
      },
    ],
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    serviceAccountName: pod.app,
    serviceAccount: pod.app,
    nodeName: pod.node,
    securityContext: { fsGroup: 1000, seccompProfile: { type: "RuntimeDefault" } },
    schedulerName: "default-scheduler",
    tolerations: ["not-ready", "unreachable"].map((taint) => ({
      key: `node.kubernetes.io/${taint}`,
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds: 300,
    })),
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: "PreemptLowerPriority",
  };
}

function status(pod: PodIdentity): Record<string, unknown> {
  const ip = `10.${(pod.index >> 16) & 255}.${(pod.index >> 8) & 255}.${pod.index & 255}`;
  return {
    phase: pod.index % 50 === 0 ? "Pending" : "Running",
    conditions: conditionTypes.map((type) => ({
      type,
      status: "True",
      lastProbeTime: null,
      lastTransitionTime: timestamp(pod.index + 11),
    })),
    hostIP: `192.168.${pod.index % nodes}.10`,
    podIP: ip,
    podIPs: [{ ip }],
    startTime: pod.createdAt,
    containerStatuses: ["app", "proxy"].map((name, position) => ({
      name,
      state: { running: { startedAt: timestamp(pod.index + 9) } },
      lastState: {},
      ready: true,
      restartCount: pod.index % 4,
      image: name === "app" ? image(pod) : "registry.example.com/platform/proxy:2.4.1",
      imageID: `registry.example.com/webshop/${name}@sha256:${hex(Math.floor(pod.index / podsPerReplicaSet) % 200, 64)}`,
      containerID: `containerd://${hex(pod.index * 2 + position, 64)}`,
      started: true,
    })),
    qosClass: "Burstable",
  };
}

function probe(path: string): Record<string, unknown> {
  const httpGet = { path, port: "http", scheme: "HTTP" };
  return { httpGet, timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
}

function image(pod: PodIdentity): string {
  return `registry.example.com/webshop/${pod.app}:1.${pod.index % 40}.0`;
}

function timestamp(index: number): string {
  return new Date(1_760_000_000_000 + index * 1000).toISOString().replace(".000Z", "Z");
}

function uid(index: number): string {
  const digits = hex(index, 32);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `a${digits.slice(17, 20)}`,
    digits.slice(20),
  ].join("-");
}

/** A multiplicative hash: digits that look random, so that nothing compresses or interns better than in life. */
function hex(seed: number, length: number): string {
  let digits = "";
  let state = (seed + 1) >>> 0;
  while (digits.length < length) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    digits += (state >>> 0).toString(16).padStart(8, "0");
  }
  return digits.slice(0, length);
}
