/**
 * Agents that report events as fast as the server takes them: the agent's own session, queue and sender, each with its
 * key, but no cluster behind them, which would be what is measured.
 */
import {
  newReportCounts,
  ReportQueue,
  ReportSender,
  ServerDialer,
  timestamp,
  type QueuedItem,
} from "@bowline/agent";
import { systemClock } from "@bowline/core";

import type { JoinOrder } from "../agents/fleet-order.ts";
import { IdleAgent } from "../agents/idle-agent.ts";
import { answerCommands } from "../measure-process.ts";
import { eventMessage } from "./sim-order.ts";

/** What every agent is to report. */
export interface ReportOrder {
  /** Tells the events of one order from those of another. */
  readonly round: number;
  readonly eventsPerAgent: number;
  /** The instance that the events are about. */
  readonly instance: string;
}

export interface ReportResult {
  readonly events: number;
  /** From the first batch until everything was acknowledged. */
  readonly seconds: number;
}

const agents: IdleAgent[] = [];
const dialer = new ServerDialer({ clock: systemClock, environment: {} });

async function join({ tokens }: JoinOrder): Promise<void> {
  for (const token of tokens) {
    const agent = await IdleAgent.join(token, dialer);
    await agent.connect();
    agents.push(agent);
  }
}

async function report({ round, eventsPerAgent, instance }: ReportOrder): Promise<ReportResult> {
  const { signal } = new AbortController();
  const counts = newReportCounts();
  const epoch = BigInt(Date.now());
  const reports = await Promise.all(
    agents.map(async (agent, index) => {
      const queue = new ReportQueue();
      for (let event = 0; event < eventsPerAgent; event++) {
        if (!queue.put(eventItem({ round, agent: index, event, instance })))
          throw new Error("The queue is full.");
      }
      const sender = new ReportSender({ queue, epoch, instance: "bench", clock: systemClock, counts });
      // What is there is all there is: it leaves without waiting for more.
      sender.finish();
      return { sender, session: await agent.links.session(signal) };
    }),
  );
  const startMs = performance.now();
  await Promise.all(reports.map(({ sender, session }) => sender.run(session.openReport(signal))));
  const seconds = (performance.now() - startMs) / 1000;
  if (counts.refused > 0) throw new Error(`The server refused ${counts.refused} events.`);
  return { events: counts.items, seconds };
}

interface EventPlace {
  readonly round: number;
  readonly agent: number;
  readonly event: number;
  readonly instance: string;
}

const podsPerAgent = 50;

/** A new event about one of a few pods. */
function eventItem({ round, agent, event, instance }: EventPlace): QueuedItem {
  const uid = uuid(round, agent, event);
  const pod = event % podsPerAgent;
  const message = eventMessage(event);
  const now = timestamp(Date.now());
  const value = {
    uid,
    regarding: {
      apiVersion: "v1",
      kind: "Pod",
      namespace: "default",
      name: `${instance}-5d9c7b8f6d-${pod.toString(36).padStart(5, "0")}`,
      uid: uuid(0, agent, pod),
    },
    workload: instance,
    type: "Warning",
    reason: "Unhealthy",
    message,
    count: 1,
    firstSeenAt: now,
    lastSeenAt: now,
  };
  return { key: `event ${uid}`, item: { item: { case: "event", value } }, bytes: 400 + message.length };
}

function uuid(...parts: readonly [number, number, number]): string {
  const [a, b, c] = parts.map((part) => part.toString(16).padStart(12, "0"));
  // In no order, as those of clusters.
  const mixed = Math.imul(parts[2], 0x9e37_79b1) >>> 0;
  return `${mixed.toString(16).padStart(8, "0")}-${a?.slice(-4)}-4${b?.slice(-3)}-8000-${c}`;
}

answerCommands({
  join: (order: JoinOrder) => join(order),
  report: (order: ReportOrder) => report(order),
});
