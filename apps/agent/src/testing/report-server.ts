import { BowlineError } from "@bowline/core";
import type { MessageCall, ReportBegin, reportCall, ReportRequest, ReportTopic } from "@bowline/protocol";

export type ReportAnswer = MessageCall<Parameters<typeof reportCall.response.encode>[0], ReportRequest>;
type Batch = Extract<ReportRequest["message"], { readonly case: "batch" }>["value"];
type Item = Batch["items"][number];

/** The server's end of reports, which keeps what it is told as the real one does: by epoch and sequence. */
export class ReportServer {
  epoch = 0n;
  instance = "";
  topic: ReportTopic | undefined;
  /** Pages of what it knows from earlier epochs. */
  known: object[][] = [];
  stored = 0;
  isComplete = false;
  begins = 0;
  /** Batches that came twice. */
  repeated = 0;
  maxUnacknowledged = 4;
  maxItems = 100;
  /** Whether it says that it has stored something. */
  acknowledges = true;
  /** The most that were under way at once without a word. */
  mostUnderWay = 0;
  /** Sizes of the batches that were stored. */
  readonly batches: number[] = [];
  /** Objects by UID, and events by UID, as a database would have them. */
  readonly objects = new Map<string, Extract<Item["item"], { readonly case: "object" }>["value"]>();
  readonly events = new Map<string, Extract<Item["item"], { readonly case: "event" }>["value"]>();
  /** Every event that was stored, in order: one that is there twice was stored twice. */
  readonly stories: string[] = [];
  /** Why an item is not to be stored; nothing for one that is. */
  refuse = (_item: Item): string | undefined => undefined;
  #calls: ReportAnswer[] = [];
  #held: { readonly sequence: number; readonly call: ReportAnswer }[] = [];

  /** Answers one call until it ends. */
  readonly answer = async (call: ReportAnswer): Promise<void> => {
    this.#calls.push(call);
    try {
      for await (const { message } of call.messages) this.#receive(call, message);
      call.end();
    } catch {
      // The connection was cut, or the test has ended.
    }
  };

  /** Ends all calls, as a server does that goes away. */
  hangUp(error = new BowlineError("ServerUnavailable", "Going away.")): void {
    for (const call of this.#calls) call.fail(error);
    this.#calls = [];
    this.#held = [];
  }

  /** Forgets everything, as a database does that was set back. */
  lose(): void {
    Object.assign(this, { epoch: 0n, instance: "", stored: 0, isComplete: false });
    this.objects.clear();
    this.hangUp();
  }

  /** Says now what it has not said. */
  acknowledge(): void {
    this.acknowledges = true;
    for (const { call, sequence } of this.#held) {
      call.send({ message: { case: "ack", value: { sequence: BigInt(sequence), refused: [] } } });
    }
    this.#held = [];
  }

  #receive(call: ReportAnswer, message: ReportRequest["message"]): void {
    switch (message.case) {
      case "begin":
        return this.#begin(call, message.value);
      case "batch":
        return this.#store(call, Number(message.value.sequence), message.value.items);
      case "complete":
        this.isComplete = true;
        return this.#store(call, Number(message.value.sequence), []);
      case undefined:
        return undefined;
    }
  }

  #begin(call: ReportAnswer, { epoch, instance, topic }: ReportBegin): void {
    this.begins += 1;
    this.topic = topic;
    if (epoch < this.epoch || (epoch === this.epoch && instance !== this.instance)) {
      return call.fail(new BowlineError("Expired", `Epoch ${this.epoch} has begun.`));
    }
    if (epoch > this.epoch) Object.assign(this, { epoch, instance, stored: 0, isComplete: false });
    const { maxUnacknowledged, maxItems, isComplete: complete } = this;
    const storedSequence = BigInt(this.stored);
    for (const objects of this.known) call.send({ message: { case: "known", value: { objects } } });
    call.send({
      message: { case: "ready", value: { storedSequence, complete, maxUnacknowledged, maxItems } },
    });
  }

  #store(call: ReportAnswer, sequence: number, items: readonly Item[]): void {
    if (sequence > this.stored + 1) {
      return call.fail(new BowlineError("ProtocolViolation", `Batch ${sequence} came after ${this.stored}.`));
    }
    if (sequence <= this.stored) this.repeated += 1;
    const refused = sequence <= this.stored ? [] : this.#keep(sequence, items);
    this.stored = Math.max(this.stored, sequence);
    this.#held.push({ call, sequence });
    this.mostUnderWay = Math.max(this.mostUnderWay, this.#held.length);
    if (!this.acknowledges) return undefined;
    this.#held = [];
    call.send({ message: { case: "ack", value: { sequence: BigInt(sequence), refused } } });
    return undefined;
  }

  #keep(sequence: number, items: readonly Item[]): { sequence: bigint; index: number; reason: string }[] {
    this.batches.push(items.length);
    return items.flatMap((item, index) => {
      const reason = this.refuse(item);
      if (reason !== undefined) return [{ sequence: BigInt(sequence), index, reason }];
      this.#keepOne(item);
      return [];
    });
  }

  #keepOne({ item }: Item): void {
    if (item.case === "object") this.objects.set(item.value.ref?.uid ?? "", item.value);
    else if (item.case === "gone") this.objects.delete(item.value.ref?.uid ?? "");
    else if (item.case === "event") {
      const { uid, count } = item.value;
      this.stories.push(`${uid} ${count}`);
      this.events.set(uid, item.value);
    }
  }
}
