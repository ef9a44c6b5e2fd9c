/** A cluster whose report has changed something. */
interface ReportedCluster {
  /** Of the Cluster's object. */
  readonly id: string;
  readonly name: string;
}

/** Is told, after it is stored, what a report has changed. It must neither throw nor wait. */
export interface ReportSink {
  /** Names of the instances whose objects have changed in the cluster; `all` when it could be any of them. */
  changed(cluster: ReportedCluster, workloads: ReadonlySet<string> | "all"): void;
}
