import { kinds } from "@bowline/api";
import { createLogger, systemClock } from "@bowline/core";
import { openTestStore } from "@bowline/store/testing";
import { expect, test } from "vitest";

import { storeControllers } from "../controllers/start-controllers.ts";
import { GrantCache } from "../proxy/admission/grant-cache.ts";
import { ClusterClients } from "./cluster-clients.ts";
import { workloadControllers } from "./workload-controllers.ts";

test("the kinds that have conditions are those of the controllers that write them", async () => {
  const store = await openTestStore({ type: "sqlite", file: ":memory:" });
  const clients = new ClusterClients({
    store,
    grants: new GrantCache({ store, clock: systemClock, random: Math.random }),
    tunnels: { find: () => Promise.reject(new Error("nobody is there")) },
    clock: systemClock,
    logger: createLogger({ name: "test", level: "silent" }),
  });
  const declared = kinds.filter(({ conditions }) => Object.keys(conditions).length > 0);
  const controlled = [...storeControllers, ...workloadControllers(clients)].map(({ kind }) => kind.kind);
  expect(controlled.toSorted()).toEqual(declared.map(({ kind }) => kind).toSorted());
});
