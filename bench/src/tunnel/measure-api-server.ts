import { startApiServer } from "@bowline/test-cluster";

import { apiServerRelease } from "../needs.ts";
import type { LoadResult } from "./load-order.ts";
import { takeRequests, type Stage } from "./stage.ts";
import { smallPath } from "./target.ts";
import type { Turns } from "./turns.ts";
import type { Backend, Way } from "./ways.ts";

/** A real API server over the same ways. */
export interface ApiServerMeasurement {
  readonly ways: readonly string[];
  readonly one: Turns<LoadResult>;
  readonly some: Turns<LoadResult>;
}

/** Undefined where there are no programs of Kubernetes. */
export async function measureApiServer(stage: Stage): Promise<ApiServerMeasurement | undefined> {
  const { ways, context } = stage;
  context.progress("a real API server starts");
  await using stack = new AsyncDisposableStack();
  const apiServer = await startApiServer({ kubernetes: apiServerRelease, extraFlags: unlimited }).catch(
    (error: unknown) => {
      context.progress(`no API server here: ${error instanceof Error ? error.message : String(error)}`);
    },
  );
  if (apiServer === undefined) return undefined;
  stack.use(apiServer);
  const name = smallPath.slice(smallPath.lastIndexOf("/") + 1);
  await apiServer.kubectl(["create", "configmap", name, `--from-literal=text=${"k".repeat(700)}`]);
  const { url, caCert: ca, adminToken: token, kubeconfigPath } = apiServer;
  const backend: Backend = {
    direct: { port: Number(new URL(url).port), ca, token, prefix: "" },
    kubeconfigPath,
  };
  const branch = stack.use(ways.branch());
  const direct: Way = { name: "direct", target: backend.direct, pids: [] };
  const all = [
    direct,
    await branch.oneHop(backend),
    ...(await branch.kubectlProxy(backend)),
    await branch.bowline(backend),
  ];
  context.progress("requests to the API server, 32 and 1 at a time");
  return {
    ways: all.map((way) => way.name),
    some: await takeRequests(stage, all, 32),
    one: await takeRequests(stage, all, 1),
  };
}

/** It would answer 429 to so many from one user. */
const unlimited = ["--max-requests-inflight=10000", "--enable-priority-and-fairness=false"];
