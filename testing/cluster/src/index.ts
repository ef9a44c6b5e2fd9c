export { startApiServer, type ApiServer } from "./api-server.ts";
export { busyboxImage, startCluster, type Cluster } from "./cluster.ts";
export { whyNoCluster, whyNoDebianEtcd } from "./cluster-obstacles.ts";
export { startControlPlane } from "./control-plane.ts";
export { busyboxRoot } from "./busybox-root.ts";
export { findKubeBinaries } from "./kube-binaries.ts";
