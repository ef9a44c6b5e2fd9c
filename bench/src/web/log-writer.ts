import { setTimeout as sleep } from "node:timers/promises";

import type { Kubesim } from "@bowline/kubesim";

export const logNamespace = "logs";
/** As many as the console holds. */
export const keptLines = 100_000;
/** Every so many lines one tells of a failure. */
export const linesPerFailure = 1_000;

/** Pods that write lines, each with its number and the time at which it was written. */
export class LogWriter {
  readonly #sim: Kubesim;
  /** Of the last line of each. */
  readonly #numbers = new Map<string, number>();

  constructor(sim: Kubesim) {
    this.#sim = sim;
  }

  /** Starts a pod if it is not there, and has it write so many lines at once. */
  async write(pod: string, lines: number): Promise<void> {
    if (!this.#numbers.has(pod)) await this.#start(pod);
    for (let count = 0; count < lines; count += 1) this.writeLine(pod);
  }

  /** Returns the number of the line. */
  writeLine(pod: string): number {
    const number = (this.#numbers.get(pod) ?? 0) + 1;
    this.#numbers.set(pod, number);
    this.#nodes.writeLog({ namespace: logNamespace, name: pod }, "app", lineText(number, Date.now()));
    return number;
  }

  async #start(name: string): Promise<void> {
    const { api } = this.#sim;
    if (api.get("namespaces", undefined, logNamespace) === undefined) {
      api.create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: logNamespace } });
    }
    const pod = api.create("pods", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: logNamespace },
      spec: { containers: [{ name: "app", image: "registry.example.com/till:1.4.2" }] },
    });
    while (this.#nodes.containerLogs(pod, "app").lines().length === 0) await sleep(50);
  }

  get #nodes(): NonNullable<Kubesim["nodes"]> {
    const { nodes } = this.#sim;
    if (nodes === undefined) throw new Error("The cluster has no nodes.");
    return nodes;
  }
}

/** What a server writes for a request, about 120 characters. */
function lineText(number: number, nowMs: number): string {
  const status = number % linesPerFailure === 0 ? 503 : 200;
  const trace = Math.imul(number, 0x9e3779b9) >>> 0;
  return `level=${status === 200 ? "info" : "error"} at=${nowMs} line=${number} msg="GET /items/${number % 977}" status=${status} trace=${trace.toString(16).padStart(8, "0")} took=${number % 89}ms`;
}
