import type { IdentityRecord } from "./identity-record.ts";

/** Where the identity of an agent is kept; the agents of one cluster share it. */
export interface IdentityStore {
  /** In words, for messages. */
  readonly place: string;
  /** Undefined when there is none yet. */
  read(): Promise<IdentityRecord | undefined>;
  /**
   * Changes what is kept. `change` may be called again, when somebody else was faster; what it returns unchanged is not
   * written. Resolves to what is kept afterwards.
   */
  update(change: (current: IdentityRecord) => IdentityRecord): Promise<IdentityRecord>;
}
