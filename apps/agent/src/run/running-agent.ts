/** An agent that has joined and connects, or is connected. */
export interface RunningAgent {
  readonly clusterName: string;
  readonly agentId: string;
  /** Where the health page is: `127.0.0.1:8081`. */
  readonly healthAddress: string;
  /** Where the identity is kept, in words. */
  readonly identityPlace: string;
  /** Resolves when a server has welcomed it for the first time. */
  readonly connected: Promise<void>;
  /** Drains and stops. Resolves when nothing of it is left; rejects when it did not stop cleanly. */
  close(): Promise<void>;
  /** Settles when it has stopped, for whatever reason. */
  readonly ended: Promise<void>;
}
