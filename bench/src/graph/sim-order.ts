/** Where the kubeconfig of the cluster goes, and how many pods it gets. */
export interface FillOrder {
  readonly kubeconfigPath: string;
  readonly pods: number;
}

/** What is in the cluster: how many objects of each kind, as `group/kind`. */
export type KindCounts = Readonly<Record<string, number>>;

/** Changes at an even pace. */
export interface ChangeOrder {
  readonly perSecond: number;
  readonly seconds: number;
  /** Tells the changes of one order from those of another. */
  readonly round: number;
}

export interface ChangeResult {
  /** Changes that say when they were made. */
  readonly dated: number;
  /** When the last of them was; wall clock. */
  readonly lastAtMs: number;
  /** The pace that was kept. */
  readonly perSecond: number;
  /** When each of the probes was made; wall clock. */
  readonly probesAtMs: readonly number[];
}

/** A few of the changes are pods that read a Secret of their own: who asks for its readers knows when one is there. */
export const probesPerSecond = 2;

export const probeNamespace = "team-00";
export const probeSecret = (round: number, index: number): string => `probe-${round}-${index}`;

/** An annotation that the graph tells. */
export const changedAtAnnotation = "kubernetes.io/description";

export const changedAtText = (atMs: number): string => `changed at ${atMs.toFixed(3)}`;

/** When an object was changed, by what it says; undefined for one that was not. */
export function changedAtMs(facts: string): number | undefined {
  const text = /changed at (\d+\.\d+)/u.exec(facts)?.[1];
  return text === undefined ? undefined : Number(text);
}
