import type { RunningProgram } from "@bowline/program";

/** The facts about an agent that has joined and connects, or is connected. */
export interface AgentFacts {
  readonly clusterName: string;
  readonly agentId: string;
  /** Where the health page is: `127.0.0.1:8081`. */
  readonly healthAddress: string;
  /** Where the identity is kept, in words. */
  readonly identityPlace: string;
  /** Resolves when a server has welcomed it for the first time. */
  readonly connected: Promise<void>;
}

export type RunningAgent = AgentFacts & RunningProgram;
