export { startApiServer, type ApiServer } from "./api-server.ts";
export { busyboxImage, startCluster, type Cluster } from "./cluster.ts";
export { whyNoCluster, whyNoDebianEtcd } from "./cluster-obstacles.ts";
export { startControlPlane } from "./control-plane.ts";
export { busyboxRoot } from "./image/busybox-image.ts";
export type { ImageOptions } from "./image/docker-archive.ts";
export { programFiles } from "./image/program-files.ts";
export type { TarEntry } from "./image/tar.ts";
export { findKubeBinaries } from "./kube-binaries.ts";
