import type { NewObject } from "@bowline/kubesim";

const named = (kind: string, name: string, namespace?: string) => ({
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
});

const core = { apiVersion: "v1" } as const;
const rbac = { apiVersion: "rbac.authorization.k8s.io/v1" } as const;
const rbacGroup = "rbac.authorization.k8s.io";
const webLabels = { app: "web" };
const digest = `sha256:${"1".repeat(64)}`;

/** The image that the shop runs. */
export const shopImage = { reference: "example.test/shop:1.4", digest };

const podTemplate = {
  serviceAccountName: "web",
  containers: [
    {
      name: "app",
      image: shopImage.reference,
      env: [{ name: "PASSWORD", valueFrom: { secretKeyRef: { name: "db", key: "password" } } }],
      envFrom: [{ configMapRef: { name: "settings" } }],
      volumeMounts: [{ name: "data", mountPath: "/data" }],
    },
  ],
  volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
};

/**
 * A shop: two pods behind an open Service, which read a Secret and run as an account that may read all Secrets. One
 * reads a Secret that does not exist, and nobody reads `old`.
 */
export const shopObjects: readonly (readonly [resource: string, object: NewObject])[] = [
  ["namespaces", { ...core, ...named("Namespace", "shop") }],
  ["serviceaccounts", { ...core, ...named("ServiceAccount", "web", "shop") }],
  ["secrets", { ...core, ...named("Secret", "db", "shop"), data: { password: "Y2FuYXJ5" } }],
  ["secrets", { ...core, ...named("Secret", "old", "shop") }],
  ["configmaps", { ...core, ...named("ConfigMap", "settings", "shop"), data: { currency: "EUR" } }],
  [
    "persistentvolumeclaims",
    { ...core, ...named("PersistentVolumeClaim", "data", "shop"), spec: claimSpec() },
  ],
  ["pods", pod("web-1", podTemplate)],
  ["pods", pod("web-2", podTemplate)],
  ["pods", pod("job-1", brokenTemplate())],
  [
    "services",
    {
      ...core,
      ...named("Service", "web", "shop"),
      spec: { type: "LoadBalancer", selector: webLabels, ports: [{ port: 80 }] },
    },
  ],
  [
    "clusterroles.rbac.authorization.k8s.io",
    {
      ...rbac,
      ...named("ClusterRole", "secret-reader"),
      rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get", "list"] }],
    },
  ],
  [
    "clusterrolebindings.rbac.authorization.k8s.io",
    {
      ...rbac,
      ...named("ClusterRoleBinding", "web-reads-secrets"),
      roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name: "secret-reader" },
      subjects: [{ kind: "ServiceAccount", namespace: "shop", name: "web" }],
    },
  ],
];

function claimSpec() {
  return { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
}

function brokenTemplate() {
  return {
    containers: [
      {
        name: "job",
        image: shopImage.reference,
        securityContext: { privileged: true },
        envFrom: [{ secretRef: { name: "missing" } }],
      },
    ],
  };
}

function pod(name: string, spec: object): NewObject {
  const { metadata, kind } = named("Pod", name, "shop");
  const labels = name.startsWith("web") ? webLabels : {};
  const container = name.startsWith("web") ? "app" : "job";
  const status = {
    phase: "Running",
    containerStatuses: [
      { name: container, image: shopImage.reference, imageID: `example.test/shop@${digest}` },
    ],
  };
  return { ...core, kind, metadata: { ...metadata, labels }, spec, status };
}
