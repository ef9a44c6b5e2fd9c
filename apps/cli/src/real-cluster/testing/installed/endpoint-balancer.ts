import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";

import type { Cluster } from "@bowline/test-cluster";

export interface EndpointBalancer extends AsyncDisposable {
  /** Addresses of the pods that new connections go to, in turns. */
  targets(): readonly string[];
}

export interface BalancerOptions {
  readonly port: number;
  readonly namespace: string;
  readonly service: string;
  readonly targetPort: number;
}

const addresses = String.raw`{.subsets[*].addresses[*].ip}{"\n"}`;

/**
 * What a load balancer does for a Service: it listens outside of the cluster and hands each connection, as it is, to a
 * pod that is ready. It knows of pods what the cluster says about the Service, and tries no other when one refuses.
 */
export async function startEndpointBalancer(
  { kubectlPath, kubeconfigPath, hostAddress }: Cluster,
  { port, namespace, service, targetPort }: BalancerOptions,
): Promise<EndpointBalancer> {
  let targets: readonly string[] = [];
  let turn = 0;
  const where = ["--kubeconfig", kubeconfigPath, "--namespace", namespace];
  const watching = ["get", "endpoints", "--watch", "--output", `jsonpath=${addresses}`];
  const watch = spawn(kubectlPath, [...where, ...watching, "--field-selector", `metadata.name=${service}`], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  createInterface(watch.stdout).on("line", (line) => {
    targets = line.split(" ").filter((address) => address !== "");
  });
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const target = targets[turn % Math.max(targets.length, 1)];
    turn += 1;
    if (target === undefined) client.destroy();
    else join(client, connect({ host: target, port: targetPort, noDelay: true }), sockets);
  });
  await once(server.listen(port, hostAddress), "listening");
  return {
    targets: () => targets,
    async [Symbol.asyncDispose]() {
      const ended = once(watch, "exit");
      if (watch.kill()) await ended;
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Either ends with the other. */
function join(client: Socket, pod: Socket, sockets: Set<Socket>): void {
  for (const [from, to] of [
    [client, pod],
    [pod, client],
  ] as const) {
    sockets.add(from);
    from.on("error", () => to.destroy());
    from.on("close", () => {
      sockets.delete(from);
      to.destroy();
    });
    from.pipe(to);
  }
}
