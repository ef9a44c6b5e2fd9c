import type { ClusterSocket } from "@bowline/client";
import { asRecord, BowlineError, isRecord } from "@bowline/core";

import type { Terminal, TerminalInput, TerminalSize } from "../../command/terminal.ts";

/** Newest first. The first one can say that the input has ended; clusters before 1.30 know only the second. */
export const execProtocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"] as const;

/** The first byte of each message: the stream it belongs to. */
const channels = { stdin: 0, stdout: 1, stderr: 2, result: 3, resize: 4, close: 255 } as const;

interface ExecSessionOptions {
  readonly socket: ClusterSocket;
  readonly terminal: Terminal;
  /** Undefined where the command gets no input. */
  readonly input: TerminalInput | undefined;
  readonly hasTty: boolean;
}

/** Connects a command in a container with this terminal; resolves to the command's exit code. */
export async function runSession({ socket, terminal, input, hasTty }: ExecSessionOptions): Promise<number> {
  const sendSize = (size: TerminalSize): void => {
    const text = JSON.stringify({ Width: size.columns, Height: size.rows });
    void socket.send(message(channels.resize, Buffer.from(text)));
  };
  if (hasTty && input?.size !== undefined) {
    sendSize(input.size);
    input.onResize(sendSize);
  }
  // Input that breaks off, or is not wanted any more, is no reason to leave a command that may go on without.
  if (input !== undefined) void sendInput(socket, input).catch(() => undefined);
  for await (const received of socket.messages) {
    const [channel] = received;
    const bytes = received.subarray(1);
    if (channel === channels.stdout) terminal.out(bytes);
    else if (channel === channels.stderr) terminal.error(bytes);
    else if (channel === channels.result) return exitCodeOf(bytes.toString("utf8"));
  }
  throw new BowlineError("TunnelLost", "The connection was lost before the command ended.");
}

async function sendInput(socket: ClusterSocket, input: TerminalInput): Promise<void> {
  for await (const chunk of input.chunks) await socket.send(message(channels.stdin, chunk));
  await socket.send(Buffer.from([channels.close, channels.stdin]));
}

function message(channel: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([channel]), bytes]);
}

/** What became of the command, as a Status of Kubernetes. */
function exitCodeOf(text: string): number {
  const { status, message: why, reason, details } = asRecord(parseJson(text));
  if (status === "Success") return 0;
  const causes: unknown = asRecord(details)["causes"];
  const cause = (Array.isArray(causes) ? causes : [])
    .filter(isRecord)
    .find((each) => each["reason"] === "ExitCode");
  const code = Number(cause?.["message"]);
  if (reason === "NonZeroExitCode" && Number.isInteger(code) && code > 0 && code < 256) return code;
  throw new BowlineError(
    "ProcessFailed",
    `The command could not be run: ${typeof why === "string" ? why : "the cluster does not say why"}`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
