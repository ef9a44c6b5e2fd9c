/** An operator that runs, or waits for its turn to lead. */
export interface RunningOperator {
  /** The cluster, as its kubeconfig calls it. */
  readonly clusterName: string;
  /** Where the health page is: `127.0.0.1:8082`. */
  readonly healthAddress: string;
  /** Stops. Resolves when nothing of it is left; rejects when it did not stop cleanly. */
  close(): Promise<void>;
  /** Settles when it has stopped, for whatever reason; rejects when it could not go on. */
  readonly ended: Promise<void>;
}
