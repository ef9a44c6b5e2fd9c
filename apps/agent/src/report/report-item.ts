import type { reportCall } from "@bowline/protocol";

export type ReportMessage = Parameters<typeof reportCall.request.encode>[0];
type MessageCase = NonNullable<ReportMessage["message"]>;
type Batch = Extract<MessageCase, { readonly case: "batch" }>["value"];

/** One observation, as it is sent. */
export type ReportItem = NonNullable<Batch["items"]>[number];
type ItemCase = NonNullable<ReportItem["item"]>;

export type ObservedObject = Extract<ItemCase, { readonly case: "object" }>["value"];
export type ObservedEvent = Extract<ItemCase, { readonly case: "event" }>["value"];

/** An item that waits to be sent. */
export interface QueuedItem {
  /** The later of two with the same key takes the place of the earlier one. */
  readonly key: string;
  readonly item: ReportItem;
  /** About what it takes, in memory and on the wire. */
  readonly bytes: number;
  /** Called when it leaves for the server for the first time. */
  readonly onSent?: () => void;
}

/** A time as the messages have it. */
export function timestamp(ms: number): { readonly seconds: bigint; readonly nanos: number } {
  const seconds = Math.floor(ms / 1000);
  return { seconds: BigInt(seconds), nanos: Math.round((ms - seconds * 1000) * 1e6) };
}
