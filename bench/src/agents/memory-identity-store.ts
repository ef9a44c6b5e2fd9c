import type { IdentityRecord, IdentityStore } from "@bowline/agent";

/** For agents that live as long as their process. */
export class MemoryIdentityStore implements IdentityStore {
  readonly place = "memory";
  #record: IdentityRecord = {};

  read(): Promise<IdentityRecord> {
    return Promise.resolve(this.#record);
  }

  update(change: (current: IdentityRecord) => IdentityRecord): Promise<IdentityRecord> {
    this.#record = change(this.#record);
    return Promise.resolve(this.#record);
  }
}
