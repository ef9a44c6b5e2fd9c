/** Simulated clusters that a process is to start. */
export interface StartOrder {
  /** Where their kubeconfigs go. */
  readonly folder: string;
  readonly names: readonly string[];
  /** Whether anything happens in them by itself; without it they are API servers alone. */
  readonly hasControllers: boolean;
}

export interface StartedSim {
  readonly name: string;
  readonly kubeconfigPath: string;
}

/** Objects of workloads that were created since the last time this was asked. */
export interface Created {
  readonly count: number;
  /** When the last of them was; wall clock. */
  readonly lastAtMs: number;
}

/** Events that are to be written in all clusters of a process, in turns. */
export interface EventsOrder {
  /** The beginning of the names of the pods that they are about. */
  readonly prefix: string;
  readonly perSecond: number;
  readonly count: number;
}

/** Objects that are to be changed by hand, one after the other, each when the one before was set right. */
export interface EditOrder {
  /** The beginning of the names of the objects. */
  readonly prefix: string;
  readonly edits: number;
  readonly pauseMs: number;
}

/** Pods that every Deployment is to have, in clusters where nobody else makes them. */
export interface FillOrder {
  readonly podsPerDeployment: number;
}

/** A version that a ConfigMap of every cluster is to have, under `data.version`. */
export interface VersionOrder {
  readonly version: string;
}

/** The message of an event says when it was written. */
export const eventMessage = (atMs: number): string =>
  `Readiness probe failed: Get "http://10.0.12.7:8080/ready": context deadline exceeded, at ${atMs.toFixed(3)}`;

/** When an event was written; undefined for one that is not ours. */
export function writtenAtMs(message: string): number | undefined {
  const text = /, at (\d+\.\d+)$/u.exec(message)?.[1];
  return text === undefined ? undefined : Number(text);
}
