import { BowlineError } from "@bowline/core";
import {
  callMessages,
  reportCall,
  ReportTopic,
  type MessageCall,
  type ReportResponse,
} from "@bowline/protocol";

import type { TestAgent, TestSession } from "./test-agent.ts";

type ReportMessage = Parameters<typeof reportCall.request.encode>[0];
type MessageCase = NonNullable<ReportMessage["message"]>;
type Batch = Extract<MessageCase, { readonly case: "batch" }>["value"];
export type TestItem = NonNullable<Batch["items"]>[number];
type ReportAck = Extract<ReportResponse["message"], { readonly case: "ack" }>["value"];
type ReportKnown = Extract<ReportResponse["message"], { readonly case: "known" }>["value"];
type ReportReady = Extract<ReportResponse["message"], { readonly case: "ready" }>["value"];

/** The report of a test agent, one step at a time. */
export class TestReport {
  /** The pages of what the server knew, in the order in which they came. */
  readonly known: ReportKnown[] = [];
  readonly #call: MessageCall<ReportMessage, ReportResponse>;

  /** Calls on the connection of the session. */
  constructor(agent: TestAgent, session: TestSession) {
    const headers = { authorization: `Bearer ${agent.token()}` };
    this.#call = callMessages(session.http2, reportCall, { headers, signal: AbortSignal.timeout(60_000) });
  }

  async begin(
    epoch: number,
    instance = "pod-1",
    topic: ReportTopic = ReportTopic.WORKLOADS,
  ): Promise<ReportReady> {
    this.#call.send({ message: { case: "begin", value: { epoch: BigInt(epoch), instance, topic } } });
    let message = await this.#next();
    for (; message.case === "known"; message = await this.#next()) this.known.push(message.value);
    if (message.case !== "ready") throw new Error(`The server said ${message.case}.`);
    return message.value;
  }

  sendBatch(sequence: number, items: TestItem[]): void {
    this.#call.send({ message: { case: "batch", value: { sequence: BigInt(sequence), items } } });
  }

  sendComplete(sequence: number): void {
    this.#call.send({ message: { case: "complete", value: { sequence: BigInt(sequence) } } });
  }

  async ack(): Promise<ReportAck> {
    const message = await this.#next();
    if (message.case !== "ack") throw new Error(`The server said ${message.case}.`);
    return message.value;
  }

  /** Sends a batch, and resolves when it is stored. */
  async batch(sequence: number, ...items: TestItem[]): Promise<ReportAck> {
    this.sendBatch(sequence, items);
    return this.ack();
  }

  async complete(sequence: number): Promise<ReportAck> {
    this.sendComplete(sequence);
    return this.ack();
  }

  /** The error that the call ends with. */
  async failure(): Promise<BowlineError> {
    try {
      for (;;) {
        const next = await this.#call.messages.next();
        if (next.done === true) throw new Error("The server ended the report without an error.");
      }
    } catch (error) {
      return BowlineError.from(error);
    }
  }

  end(): void {
    this.#call.end();
  }

  async #next(): Promise<ReportResponse["message"]> {
    const next = await this.#call.messages.next();
    if (next.done === true) throw new Error("The server ended the report.");
    return next.value.message;
  }
}

interface ObjectParts {
  readonly workload?: string;
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly ownerUid?: string;
  readonly facts?: string;
  readonly applied?: string;
  readonly changedBy?: string;
}

/** An object as a test agent observes it. */
export function observed(uid: string, parts: ObjectParts = {}): TestItem {
  const { workload = "web", kind = "Deployment", apiVersion = "apps/v1", facts = '{"facts":1}' } = parts;
  const ref = { apiVersion, kind, namespace: "shop", name: `name-of-${uid}`, uid };
  const { ownerUid = "", applied = "", changedBy = "" } = parts;
  const value = { ref, workload, ownerUid, resourceVersion: "7", facts, applied, changedBy };
  return { item: { case: "object", value } };
}

export function gone(uid: string): TestItem {
  return { item: { case: "gone", value: { ref: { uid } } } };
}

interface EventParts {
  readonly workload?: string;
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly regarding?: { kind?: string; name?: string; uid?: string; namespace?: string };
  readonly firstSeenAt?: { seconds: bigint };
  readonly lastSeenAt?: { seconds: bigint };
}

/** An Event about a pod. */
export function observedEvent(uid: string, parts: EventParts = {}): TestItem {
  const seconds = BigInt(Math.floor(Date.now() / 1_000) - 60);
  const value = {
    uid,
    regarding: { apiVersion: "v1", kind: "Pod", namespace: "shop", name: "web-1", uid: "pod-uid" },
    workload: "web",
    type: "Warning",
    reason: "BackOff",
    message: "Back-off restarting failed container.",
    count: 1,
    firstSeenAt: { seconds },
    lastSeenAt: { seconds },
    ...parts,
  };
  return { item: { case: "event", value } };
}
