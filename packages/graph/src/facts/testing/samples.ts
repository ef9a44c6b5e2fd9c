/** A pod as a real cluster has them: two containers, three volumes, eight references, and all that changes about it. */
export function samplePod(name = "checkout-6d9f7c5b8d-x7k2p"): Record<string, unknown> {
  const token = { name: "kube-api-access-5kq2m", mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "shop",
      uid: "7d3f1c2a-5b1e-4f7e-9d0c-2f8f0d4a9b11",
      resourceVersion: "4711",
      creationTimestamp: "2026-11-16T10:00:00Z",
      labels: {
        "pod-template-hash": "6d9f7c5b8d",
        "app.kubernetes.io/name": "checkout",
        "app.kubernetes.io/version": "1.2.3",
      },
      annotations: { "prometheus.io/scrape": "true" },
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          name: "checkout-6d9f7c5b8d",
          uid: "f9a5d0c4-7f0a-4e0e-8f43-0b5a8b9d1c22",
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: [
        { manager: "kubelet", operation: "Update", time: "2026-11-16T10:00:05Z", fieldsV1: {} },
      ],
    },
    spec: {
      nodeName: "worker-1",
      serviceAccountName: "checkout",
      imagePullSecrets: [{ name: "registry" }],
      containers: [
        {
          name: "app",
          image: "registry.example.com/shop/checkout:1.2.3",
          ports: [{ containerPort: 8080, protocol: "TCP" }],
          env: [
            { name: "LOG_LEVEL", value: "info" },
            { name: "DB_PASSWORD", valueFrom: { secretKeyRef: { name: "db", key: "password" } } },
            { name: "REGION", valueFrom: { configMapKeyRef: { name: "settings", key: "region" } } },
          ],
          envFrom: [{ configMapRef: { name: "features", optional: true } }],
          volumeMounts: [
            { name: "config", mountPath: "/etc/app" },
            { name: "tls", mountPath: "/etc/tls", readOnly: true },
            { ...token, readOnly: true },
          ],
          securityContext: { allowPrivilegeEscalation: false, runAsNonRoot: true },
        },
        { name: "proxy", image: "envoyproxy/envoy:v1.31.0", volumeMounts: [{ ...token, readOnly: true }] },
      ],
      volumes: [
        { name: "config", configMap: { name: "checkout", defaultMode: 420 } },
        { name: "tls", secret: { secretName: "checkout-tls", defaultMode: 420 } },
        {
          name: token.name,
          projected: {
            sources: [
              { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
              { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
            ],
          },
        },
      ],
    },
    status: {
      phase: "Running",
      podIP: "10.1.2.3",
      podIPs: [{ ip: "10.1.2.3" }],
      hostIP: "10.0.0.5",
      startTime: "2026-11-16T10:00:01Z",
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-11-16T10:00:05Z" }],
      containerStatuses: [
        {
          name: "app",
          imageID: `registry.example.com/shop/checkout@sha256:${"ab".repeat(32)}`,
          containerID: "containerd://1",
          restartCount: 0,
          ready: true,
          state: { running: { startedAt: "2026-11-16T10:00:03Z" } },
        },
        {
          name: "proxy",
          imageID: `docker.io/envoyproxy/envoy@sha256:${"cd".repeat(32)}`,
          restartCount: 0,
          ready: true,
        },
      ],
    },
  };
}
