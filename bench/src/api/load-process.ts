/** Puts load on a server, in a process of its own. */
import { answerCommands } from "../measure-process.ts";
import { applyLoad } from "./apply-load.ts";
import { benchCluster, clusterName } from "./bench-cluster.ts";
import { changeObjects } from "./change-objects.ts";
import type {
  ChangeOrder,
  CreateOrder,
  GetOrder,
  LatencyOrder,
  ListOrder,
  LoadMeasurement,
  WatchOrder,
} from "./measurement.ts";
import { bodyRequest, getRequest } from "./requests.ts";
import { Watchers } from "./watchers.ts";

const path = "/api/v1/clusters";
const pageSize = 100;
const watchers = new Watchers();

/** Sends requests until the time is over. */
function during(durationMs: number, request: () => string): () => string | undefined {
  const endMs = performance.now() + durationMs;
  return () => (performance.now() < endMs ? request() : undefined);
}

answerCommands({
  create: (order: CreateOrder): Promise<LoadMeasurement> => {
    const { durationMs, from, to = Infinity } = order;
    let index = from;
    const send = during(durationMs, () => {
      const body = benchCluster(index++);
      return bodyRequest(order, { method: "POST", path, contentType: "application/json", body });
    });
    return applyLoad({ ...order, next: () => (index < to ? send() : undefined), expectedStatus: 201 });
  },
  get: (order: GetOrder): Promise<LoadMeasurement> => {
    const next = during(order.durationMs, () =>
      getRequest(order, `${path}/${clusterName(Math.floor(Math.random() * order.objects))}`),
    );
    return applyLoad({ ...order, next, expectedStatus: 200 });
  },
  list: (order: ListOrder): Promise<LoadMeasurement> => {
    const place = order.cursor === undefined ? "" : `&cursor=${encodeURIComponent(order.cursor)}`;
    const request = getRequest(order, `${path}?limit=${pageSize}${place}`);
    return applyLoad({ ...order, next: during(order.durationMs, () => request), expectedStatus: 200 });
  },
  change: (order: ChangeOrder) => changeObjects(order),
  watch: (order: WatchOrder) => watchers.open(order, path),
  expect: (order: LatencyOrder) => Promise.resolve(watchers.expect(order)),
  latencies: () => watchers.latencies(),
  leave: () => Promise.resolve(watchers.close()),
});
