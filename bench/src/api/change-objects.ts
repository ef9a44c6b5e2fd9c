import { setTimeout as sleep } from "node:timers/promises";

import { clusterName } from "./bench-cluster.ts";
import { HttpConnection } from "./http-connection.ts";
import { nowMs, sentAtAnnotation, type ChangeOrder, type LoadMeasurement } from "./measurement.ts";
import { bodyRequest } from "./requests.ts";

/** So many that a change is not sent late because those before it have not been answered. */
const connections = 32;

/** Changes one object after the other at an even pace, each with the time it was sent. */
export async function changeObjects(order: ChangeOrder): Promise<LoadMeasurement> {
  const { port, count, perSecond } = order;
  const idle = await Promise.all(Array.from({ length: connections }, () => HttpConnection.open(port)));
  const startedAtMs = performance.now();
  let next = 0;
  const work = async (connection: HttpConnection): Promise<void> => {
    while (next < count) {
      const index = next++;
      const dueInMs = startedAtMs + (index * 1000) / perSecond - performance.now();
      if (dueInMs > 0) await sleep(dueInMs);
      const answer = await connection.send(changeRequest(order, index));
      if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text()}`);
    }
  };
  try {
    await Promise.all(idle.map(work));
  } finally {
    for (const connection of idle) connection.close();
  }
  return { requests: count, elapsedMs: performance.now() - startedAtMs };
}

function changeRequest(order: ChangeOrder, index: number): string {
  const { region } = order;
  const metadata = { annotations: { [sentAtAnnotation]: nowMs().toFixed(3) } };
  return bodyRequest(order, {
    method: "PATCH",
    path: `/api/v1/clusters/${clusterName(index)}`,
    contentType: "application/merge-patch+json",
    body: region === undefined ? { metadata } : { metadata, spec: { region } },
  });
}
