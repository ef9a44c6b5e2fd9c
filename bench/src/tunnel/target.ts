export const loopback = "127.0.0.1";

/** Where requests go, and as whom. */
export interface Target {
  /** The loopback address when not given. */
  readonly host?: string;
  readonly port: number;
  /** PEM of the CA; undefined for a server without TLS. */
  readonly ca?: string;
  /** What all paths begin with. */
  readonly prefix: string;
  readonly token?: string;
}

/** What every backend has at the same place: an object of about 1 KiB. */
export const smallPath = "/api/v1/namespaces/default/configmaps/small";
/** 100 MB, which only nginx has; where Kubernetes would have a program in a pod. */
export const bulkPath = "/api/v1/namespaces/default/services/bulk/proxy/100m";
/** Takes any body. */
export const uploadPath = "/api/v1/namespaces/default/services/bulk/proxy/upload";
export const bulkBytes = 100_000_000;
