import type { Cluster } from "@bowline/test-cluster";

import { natsImage, natsImageName, postgresImage, postgresImageName, serviceUser } from "./service-images.ts";

export interface ServicePods {
  readonly databaseUrl: string;
  readonly natsUrl: string;
}

const namespace = "services";
const password = "not-a-secret-of-anybody";

/** PostgreSQL and NATS as pods. No service has an address here, so theirs are used. */
export async function startServicePods(cluster: Cluster): Promise<ServicePods> {
  for (const image of await Promise.all([postgresImage(), natsImage()])) await cluster.importImage(image);
  await cluster.kubectl(["create", "namespace", namespace]);
  const [postgres, nats] = await Promise.all([
    startPod(cluster, { name: "postgres", image: postgresImageName, port: 5432 }),
    startPod(cluster, { name: "nats", image: natsImageName, port: 4222 }),
  ]);
  return {
    databaseUrl: `postgres://postgres:${password}@${postgres}:5432/postgres?sslmode=disable`,
    natsUrl: `nats://${nats}:4222`,
  };
}

interface ServicePod {
  readonly name: string;
  readonly image: string;
  readonly port: number;
}

/** Resolves to its address, once it accepts connections. */
async function startPod(cluster: Cluster, { name, image, port }: ServicePod): Promise<string> {
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace },
    spec: {
      securityContext: { runAsUser: serviceUser, runAsGroup: serviceUser, fsGroup: serviceUser },
      containers: [
        {
          name,
          image,
          imagePullPolicy: "Never",
          env: [{ name: "PASSWORD", value: password }],
          readinessProbe: { tcpSocket: { port }, periodSeconds: 1, failureThreshold: 60 },
          volumeMounts: [{ name: "data", mountPath: "/data" }],
        },
      ],
      volumes: [{ name: "data", emptyDir: {} }],
    },
  };
  await cluster.kubectl(["apply", "-f", "-"], { input: JSON.stringify(pod) });
  const inNamespace = ["--namespace", namespace, `pod/${name}`];
  try {
    await cluster.kubectl(["wait", "--for=condition=Ready", "--timeout=150s", ...inNamespace]);
  } catch (error) {
    const log = await cluster.kubectl(["logs", ...inNamespace]).catch(String);
    throw new Error(`The pod ${name} is not ready: ${log}`, { cause: error });
  }
  return cluster.kubectl(["get", ...inNamespace, "-o", "jsonpath={.status.podIP}"]);
}
