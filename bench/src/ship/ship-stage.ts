import { createTempFolder } from "@bowline/test-services";

import { MeasuredProcess } from "../measure-process.ts";
import type { AgentOrder } from "../tunnel/product-agent.ts";
import { ProductServer, type NewCluster, type ServerOrder } from "../tunnel/product-server.ts";
import type { StartedSim, StartOrder } from "../workloads/sim-order.ts";
import type { ShippedProgram } from "./shipped-program.ts";

/** A server as it is shipped, with a cluster of few objects that its agents are for. */
export interface ShipStage extends AsyncDisposable {
  readonly server: ProductServer;
  readonly cluster: NewCluster;
  /** For an agent with the rights that agents have when nobody says otherwise. */
  readonly agent: AgentOrder;
}

export async function setShipStage(shipped: ShippedProgram, order: ServerOrder = {}): Promise<ShipStage> {
  await using starting = new AsyncDisposableStack();
  const { path: folder } = starting.use(await createTempFolder("bench-ship"));
  const { main: program, env } = shipped;
  const server = starting.use(await ProductServer.start({ program, env, ...order }));
  const script = new URL("../workloads/sim-process.ts", import.meta.url);
  const sim = starting.use(new MeasuredProcess(script, []));
  const clusters: StartOrder = { folder, names: ["bench-1"], hasControllers: false };
  const [started] = await sim.ask<StartedSim[]>("start", clusters);
  const cluster = await server.addCluster();
  const owned = starting.move();
  return {
    server,
    cluster,
    agent: {
      program,
      env,
      kubeconfigPath: started?.kubeconfigPath ?? "",
      joinToken: cluster.joinToken,
      server: `https://127.0.0.1:${server.port}`,
      dataFolder: folder,
      flags: [],
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** What kubectl asks first. */
export const versionPath = "/version";
