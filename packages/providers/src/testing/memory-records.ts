import type { ResourceRecord, ResourceRecords } from "../resource-record.ts";

/** Records that outlive the one who writes them, as those of a database do, but not the process. */
export class MemoryRecords implements ResourceRecords {
  readonly #records = new Map<string, ResourceRecord>();

  list(): Promise<readonly ResourceRecord[]> {
    return Promise.resolve([...this.#records.values()]);
  }

  put(record: ResourceRecord): Promise<void> {
    this.#records.set(record.step, structuredClone(record));
    return Promise.resolve();
  }

  /** As a database that was restored from before all of them. */
  forget(): void {
    this.#records.clear();
  }
}
