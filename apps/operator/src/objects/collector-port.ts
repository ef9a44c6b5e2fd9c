/** Where the collector listens, in the pod. */
export const collectorPort = 9090;
