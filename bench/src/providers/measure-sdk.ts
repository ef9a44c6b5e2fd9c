import type { Cluster } from "@bowline/api";

import type { BenchmarkContext } from "../benchmark.ts";
import { MeasuredProcess } from "../measure-process.ts";
import type { ShippedProgram } from "../ship/shipped-program.ts";
import { ProductServer } from "../tunnel/product-server.ts";
import { ObjectWatch, post } from "./object-watch.ts";
import { rssOver } from "./resting-memory.ts";
import { SdkProcessLog, type SdkProcessUse } from "./sdk-process-log.ts";

/** Where the fake answers, and the key of somebody who may do anything there. */
export interface StartedAws {
  readonly url: string;
  readonly key: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export interface SdkMeasurement {
  /** Of the processes that had the SDK. */
  readonly process: SdkProcessUse;
  /** Of the server: before, while steps are done, and after the process has ended. */
  readonly serverBeforeBytes: number;
  readonly serverDuringBytes: number;
  readonly serverAfterBytes: number;
  /** To AWS. */
  readonly calls: number;
  /** From the object until network and roles are there and the control plane is being made. */
  readonly begunSeconds: number;
  /** Of steps that may leave something behind, on average. */
  readonly stepSeconds: number;
}

const restSeconds = 10;
const duringSeconds = 5;
const limitMs = 120_000;
/** It ends by itself after a minute without work. */
const goneLimitMs = 90_000;

const cluster = {
  metadata: { name: "web" },
  spec: {
    provider: "eks",
    region: "eu-west-1",
    eks: {
      credential: "aws",
      kubernetesVersion: "1.33",
      nodeGroups: [{ name: "main", instanceType: "m7g.large", maxSize: 3 }],
    },
  },
};

/** A server makes a cluster on a fake of AWS, as far as the control plane: then it asks nothing for some minutes. */
export async function measureSdk(
  { main: program, env }: ShippedProgram,
  { progress, signal }: BenchmarkContext,
): Promise<SdkMeasurement> {
  await using owned = new AsyncDisposableStack();
  const aws = owned.use(new MeasuredProcess(new URL("fake-aws-process.ts", import.meta.url), []));
  const { url, key } = await aws.ask<StartedAws>("start");
  const server = owned.use(await ProductServer.start({ program, env: { ...env, AWS_ENDPOINT_URL: url } }));
  const { api, pid } = server;
  await post(api, "credentials", { metadata: { name: "aws" }, spec: { type: "aws", data: key } });
  const serverBeforeBytes = await rssOver(pid, restSeconds, signal);
  const processes = owned.use(new SdkProcessLog(pid));
  using clusters = await ObjectWatch.open<Cluster>(api, "clusters");
  progress("a cluster is made on the fake of AWS");
  const beganMs = performance.now();
  await post(api, "clusters", cluster);
  const during = rssOver(pid, duringSeconds, signal);
  const begunMs = await clusters.until("the control plane is being made", isBegun, limitMs);
  const serverDuringBytes = await during;
  const calls = await aws.ask<number>("calls");
  const stepsTaken = await server.metric("bowline_provider_step_seconds_count");
  const stepSeconds = (await server.metric("bowline_provider_step_seconds_sum")) / stepsTaken;
  progress("the process for AWS has nothing to do until it ends");
  await processes.untilGone(goneLimitMs);
  return {
    process: processes.use,
    serverBeforeBytes,
    serverDuringBytes,
    serverAfterBytes: await rssOver(pid, restSeconds, signal),
    calls,
    begunSeconds: (begunMs - beganMs) / 1000,
    stepSeconds,
  };
}

/** Of its steps only the control plane, the access to it and the nodes are left. */
const stepsLeft = 3;

function isBegun(clusters: ReadonlyMap<string, Cluster>): boolean {
  const { provisioning, conditions } = clusters.get(cluster.metadata.name)?.status ?? {};
  if (provisioning?.state === "Blocked") throw new Error(`It is blocked: ${JSON.stringify(conditions)}`);
  const { number = 0, of = 0 } = provisioning?.step ?? {};
  return number > 0 && of - number + 1 === stepsLeft;
}
