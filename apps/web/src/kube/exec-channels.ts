import { isRecord } from "@bowline/core";

/** Streams of a process over a WebSocket: the first byte of each message says which one the rest belongs to. */
export const execChannels = { input: 0, output: 1, error: 2, status: 3, resize: 4, close: 255 } as const;

/** The first can end single streams; servers before Kubernetes 1.30 know the second alone. */
export const execProtocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"] as const;

export interface ExecMessage {
  readonly channel: number;
  readonly bytes: Uint8Array;
}

export function encodeMessage(channel: number, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(bytes.length + 1);
  message[0] = channel;
  message.set(bytes, 1);
  return message;
}

export function encodeText(channel: number, text: string): Uint8Array<ArrayBuffer> {
  return encodeMessage(channel, new TextEncoder().encode(text));
}

export function encodeResize(columns: number, rows: number): Uint8Array<ArrayBuffer> {
  return encodeText(execChannels.resize, JSON.stringify({ Width: columns, Height: rows }));
}

/** Undefined for a message without a channel. */
export function decodeMessage(data: ArrayBuffer): ExecMessage | undefined {
  const [channel] = new Uint8Array(data, 0, Math.min(1, data.byteLength));
  return channel === undefined ? undefined : { channel, bytes: new Uint8Array(data, 1) };
}

/** How a process ended: by its code, or because it could not be run. */
export type ExecResult =
  | { readonly type: "exit"; readonly code: number }
  | { readonly type: "failed"; readonly message: string };

/** Reads what comes on the status channel; cautiously, since it is a cluster that says it. */
export function readResult(text: string): ExecResult {
  const status = parse(text);
  if (status["status"] === "Success") return { type: "exit", code: 0 };
  const details = isRecord(status["details"]) ? status["details"] : {};
  const causes = Array.isArray(details["causes"]) ? details["causes"] : [];
  const exit: unknown = causes.find((cause: unknown) => isRecord(cause) && cause["reason"] === "ExitCode");
  const code = isRecord(exit) ? Number(exit["message"]) : Number.NaN;
  if (Number.isInteger(code)) return { type: "exit", code };
  const { message } = status;
  return {
    type: "failed",
    message: typeof message === "string" && message !== "" ? message : "The command could not be run.",
  };
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
