/** How fast simulated nodes are. */
export interface KubeletSettings {
  /** From being bound, or from a restart, to running: pulling the image and making the container. */
  readonly startDelayMs: number;
  /** From the order to stop to the end of a container. */
  readonly stopDelayMs: number;
  /** How soon the kubelet notices that a container ended. */
  readonly syncMs: number;
  /** How often it looks again at what cannot go on, each time with an event. */
  readonly resyncMs: number;
  /** The first wait before a container that keeps ending starts again; it doubles up to the last. */
  readonly backoffBaseMs: number;
  readonly backoffMaxMs: number;
  /** Whether `initialDelaySeconds` of readiness probes is waited for. */
  readonly honourProbeDelays: boolean;
  /** How many of the lines of a container are kept; the oldest go. */
  readonly keptLogLines: number;
}

export const defaultKubeletSettings: KubeletSettings = {
  startDelayMs: 250,
  stopDelayMs: 100,
  syncMs: 1_000,
  resyncMs: 12_000,
  backoffBaseMs: 10_000,
  backoffMaxMs: 300_000,
  honourProbeDelays: true,
  keptLogLines: 1_000,
};
