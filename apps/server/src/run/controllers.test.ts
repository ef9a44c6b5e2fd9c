import { kinds } from "@bowline/api";
import { createLogger, Metrics, systemClock } from "@bowline/core";
import { openTestStore } from "@bowline/store/testing";
import { expect, onTestFinished, test } from "vitest";
import { RenderPool } from "@bowline/render";

import { loadConfig } from "../config/server-config.ts";
import { storeControllers } from "../controllers/start-controllers.ts";
import { configSourceController } from "../config-sources/config-source-controller.ts";
import { definitionController } from "../sources/definition-controller.ts";
import { domainController } from "../domains/domain-controller.ts";
import { gatewayController, outsideTools } from "../gateways/gateway-controller.ts";
import { ClusterGraphs } from "../graph/cluster-graphs.ts";
import { GrantCache } from "../proxy/admission/grant-cache.ts";
import { readReportedObjects } from "../reports/reported-objects.ts";
import { questionController } from "../questions/question-controller.ts";
import { ClusterClients } from "../workloads/cluster-clients.ts";
import { workloadControllers } from "../workloads/workload-controllers.ts";

test("the kinds that have conditions are those of the controllers that write them", async () => {
  const store = await openTestStore({ type: "sqlite", file: ":memory:" });
  const grants = new GrantCache({ store, clock: systemClock, random: Math.random });
  const graphs = new ClusterGraphs({ source: store.graph, clock: systemClock });
  onTestFinished(() => graphs.close());
  const clients = new ClusterClients({
    store,
    grants,
    tunnels: { find: () => Promise.reject(new Error("nobody is there")) },
    clock: systemClock,
    logger: createLogger({ name: "test", level: "silent" }),
  });
  const declared = kinds.filter(({ conditions }) => Object.keys(conditions).length > 0);
  const { gateways } = loadConfig({ flags: {}, environment: {} });
  const controllers = [
    ...storeControllers,
    definitionController({ resolve: () => Promise.reject(new Error("nobody asks")) }),
    configSourceController({
      reader: {
        look: () => Promise.reject(new Error("nobody asks")),
        read: () => Promise.reject(new Error("nobody asks")),
      },
      pool: new RenderPool(),
    }),
    ...workloadControllers(clients, readReportedObjects, new Metrics({ version: "test", revision: "test" })),
    questionController({ graphs, grants, clients }),
    gatewayController(clients, gateways),
    domainController({
      outside: outsideTools(gateways),
      openZone: () => {
        throw new Error("nobody asks");
      },
      metrics: new Metrics({ version: "test", revision: "test" }),
    }),
  ];
  expect(controllers.map(({ kind }) => kind.kind).toSorted()).toEqual(
    declared.map(({ kind }) => kind).toSorted(),
  );
});
