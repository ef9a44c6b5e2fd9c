import type { Duplex } from "node:stream";

import { BowlineError, isRecord } from "@bowline/core";
import type { KubeClient, KubeObject } from "@bowline/kube";

import type { CommandContext } from "../command/command-context.ts";
import type { KubernetesWay } from "./config-document.ts";

type WayContext = Pick<CommandContext, "environment" | "clock" | "signal">;

/** Opens connections to a ready server of a Service, each through the API server of its cluster. */
export async function openWay(way: KubernetesWay, context: WayContext): Promise<() => Promise<Duplex>> {
  const [kube, { openPodPort }] = await Promise.all([
    import("@bowline/kube"),
    import("@bowline/kube/port-forward"),
  ]);
  const { environment, clock, signal } = context;
  const connection = await kube.loadKubeconfig({
    paths: [way.kubeconfig],
    ...(way.context === undefined ? {} : { context: way.context }),
  });
  const exec = { env: environment };
  return async () => {
    const transport = kube.connect(connection, { exec, clock });
    try {
      const target = await readyPod(new kube.KubeClient(transport), way, signal);
      return await openPodPort(connection, target, { exec, clock, signal });
    } finally {
      await transport.close();
    }
  };
}

interface ReadyPod {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

/** As Endpoints list them: pods that are ready, with the port of the container. */
async function readyPod(
  client: Pick<KubeClient, "get">,
  { namespace, service }: KubernetesWay,
  signal: AbortSignal,
): Promise<ReadyPod> {
  const { resources } = await import("@bowline/kube");
  const endpoints = await client.get(resources.endpoints, { namespace, name: service, signal });
  for (const subset of recordsIn(endpoints, "subsets")) {
    const port = recordsIn(subset, "ports").find(({ name }) => name === "https")?.["port"];
    for (const { targetRef } of recordsIn(subset, "addresses")) {
      const pod = isRecord(targetRef) ? targetRef["name"] : undefined;
      if (typeof pod === "string" && typeof port === "number") return { namespace, pod, port };
    }
  }
  throw new BowlineError(
    "ConnectionFailed",
    `No server is ready behind the Service ${service} in the namespace ${namespace}; look at its pods with kubectl.`,
  );
}

function recordsIn(
  object: KubeObject | Readonly<Record<string, unknown>>,
  field: string,
): Readonly<Record<string, unknown>>[] {
  const value: unknown = object[field];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
