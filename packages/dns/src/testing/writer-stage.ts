import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { systemClock } from "@bowline/core";
import { startDnsServer, zoneRecords, type DnsServer } from "@bowline/test-gateway";
import { onTestFinished } from "vitest";

import { openRfc2136, type Rfc2136Options } from "../rfc2136/rfc2136-writer.ts";
import type { RecordSet, ZoneWriter } from "../model/zone-writer.ts";

/** A zone in a real BIND, and writers for it. */
export class WriterStage implements AsyncDisposable {
  readonly bind: DnsServer;
  readonly key: NonNullable<Rfc2136Options["key"]>;

  private constructor(bind: DnsServer) {
    this.bind = bind;
    this.key = bind.key;
  }

  static async start(zone: string): Promise<WriterStage> {
    return new WriterStage(await startDnsServer(zone));
  }

  get address(): string {
    return `127.0.0.1:${this.bind.port}`;
  }

  /** Closed when the test ends. */
  open(options: Partial<Rfc2136Options> = {}): ZoneWriter {
    const { zone } = this.bind;
    return openForTest({ server: this.address, zone, key: this.key, ...options });
  }

  /** Somebody else's change, by BIND's own program. */
  async nsupdate(...lines: readonly string[]): Promise<void> {
    const { keyFile, port, zone } = this.bind;
    const running = promisify(execFile)("nsupdate", ["-k", keyFile], { timeout: 10_000 });
    const text = [`server 127.0.0.1 ${port}`, `zone ${zone}`, ...lines, "send", ""].join("\n");
    running.child.stdin?.end(text);
    await running;
  }

  /** What stands at these names, sorted. */
  async at(...names: readonly string[]): Promise<string[]> {
    const records = await zoneRecords(this.bind);
    return records
      .filter(({ name }) => names.includes(name))
      .map(({ name, type, value }) => `${name} ${type} ${value}`)
      .toSorted();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.bind.stop();
  }
}

/** Closed when the test ends. */
export function openForTest(
  options: Pick<Rfc2136Options, "server" | "zone"> & Partial<Rfc2136Options>,
): ZoneWriter {
  const writer = openRfc2136({ clock: systemClock, random: Math.random, ...options });
  onTestFinished(() => writer[Symbol.asyncDispose]());
  return writer;
}

export const a = (...values: readonly string[]): RecordSet => ({ type: "A", values, ttlSeconds: 60 });
export const aaaa = (...values: readonly string[]): RecordSet => ({ type: "AAAA", values, ttlSeconds: 60 });
export const cname = (value: string): RecordSet => ({ type: "CNAME", values: [value], ttlSeconds: 60 });
