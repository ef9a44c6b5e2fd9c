import type { RunningProgram } from "@bowline/program";

/** The facts about an operator that runs, or waits for its turn to lead. */
export interface OperatorFacts {
  /** The cluster, as its kubeconfig calls it. */
  readonly clusterName: string;
  /** Where the health page is: `127.0.0.1:8082`. */
  readonly healthAddress: string;
}

export type RunningOperator = OperatorFacts & RunningProgram;
