import { namedProgram, nginxProgram, nsupdateProgram } from "@bowline/test-services";

import type { Benchmark, BenchmarkContext } from "../benchmark.ts";
import { shipProgram, type ShippedProgram } from "../ship/shipped-program.ts";
import { measureExec, whyNoExec, type ExecMeasurement } from "./measure-exec.ts";
import { measureGateway, whyNoGateways, type GatewayMeasurement } from "./measure-gateway.ts";
import { clusterCount, measureHundred } from "./measure-hundred.ts";
import { measureSdk } from "./measure-sdk.ts";
import { summarize } from "./summarize.ts";

export const providersBenchmark: Benchmark = {
  description: `${clusterCount} clusters that are made at once by a program which takes its time; the process that has the SDK of AWS, while a cluster is made on a fake of AWS and after; a Gateway from its object until its host answers; a real Kubernetes from its object until it is ready.`,
  needs: { programs: [nginxProgram, namedProgram, nsupdateProgram] },
  parts: ["hundred", "sdk", "gateway", "exec"],
  async run(context) {
    const { parts, progress } = context;
    progress("image and executable are made");
    await using shipped = await shipProgram();
    return summarize({
      hundred: parts.has("hundred") ? await measureHundred(shipped, context) : undefined,
      sdk: parts.has("sdk") ? await measureSdk(shipped, context) : undefined,
      gateway: parts.has("gateway") ? await gatewayPart(shipped, context) : undefined,
      exec: parts.has("exec") ? await execPart(shipped, context) : undefined,
    });
  },
};

async function gatewayPart(
  shipped: ShippedProgram,
  context: BenchmarkContext,
): Promise<GatewayMeasurement | undefined> {
  const obstacle = whyNoGateways();
  if (obstacle === undefined) return measureGateway(shipped, context);
  context.progress(`Without Gateways: ${obstacle}.`);
  return undefined;
}

async function execPart(
  shipped: ShippedProgram,
  context: BenchmarkContext,
): Promise<ExecMeasurement | undefined> {
  const obstacle = await whyNoExec();
  if (obstacle === undefined) return measureExec(shipped, context);
  context.progress(`Without a real Kubernetes: ${obstacle}.`);
  return undefined;
}
