export const monitorCounts = [100, 1000, 5000] as const;

/** The first rendering of a fresh process, which is what a command or an operator that starts has to wait for. */
export interface RenderMeasurement {
  readonly renderMs: number;
  /** What it took of the processors, whatever else the machine was doing. */
  readonly cpuMs: number;
  /** The median of those after it. */
  readonly warmMs: number;
  /** The most memory the process had up to the end of the first rendering, input included. */
  readonly peakRssBytes: number;
  readonly configBytes: number;
  readonly jobs: number;
}
