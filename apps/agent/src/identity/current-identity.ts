import type { KeyObject } from "node:crypto";

import type { Clock } from "@bowline/core";
import { signAgentToken } from "@bowline/protocol";

import { privateKeyOf, type JoinedIdentity, type IdentityStore } from "./identity-record.ts";

/** The identity of the agent now. Another agent of the cluster may have joined anew, and so have given both a new key. */
export class CurrentIdentity {
  readonly #store: IdentityStore;
  readonly #clock: Clock;
  #joined: JoinedIdentity;
  #privateKey: KeyObject;

  constructor(joined: JoinedIdentity, store: IdentityStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#joined = joined;
    this.#privateKey = privateKeyOf(joined.privateKey);
  }

  /** Where it is kept, in words. */
  get place(): string {
    return this.#store.place;
  }

  get joined(): JoinedIdentity {
    return this.#joined;
  }

  /** The header that proves the agent in one call. */
  authorization(): string {
    const { agentId } = this.#joined;
    return `Bearer ${signAgentToken({ agentId, privateKey: this.#privateKey, nowMs: this.#clock.now() })}`;
  }

  /** Reads again what is kept; returns whether it is another identity. */
  async reload(): Promise<boolean> {
    const joined = (await this.#store.read())?.joined;
    if (joined === undefined || joined.agentId === this.#joined.agentId) return false;
    this.#privateKey = privateKeyOf(joined.privateKey);
    this.#joined = joined;
    return true;
  }
}
