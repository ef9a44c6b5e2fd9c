const shortestMs = 20;
const longestMs = 500;
const perClusterMs = 4;

/**
 * How long to wait for what can be written together, after so many Clusters were written the last time. One agent is
 * seen at once; while thousands come back, each transaction is for a hundred of them, and requests find time in between.
 */
export function gatherDelayMs(writtenClusters: number): number {
  return Math.min(longestMs, Math.max(shortestMs, writtenClusters * perClusterMs));
}
