import { BowlineError } from "@bowline/core";
import { kubeconfigConnection, type ClusterConnection } from "@bowline/kube";

/**
 * The way into a cluster that a provider's kubeconfig describes. A provider may say anything: no file of this machine is
 * read for it, no program started, and no proxy asked for it.
 */
export function inlineConnection(kubeconfig: string): ClusterConnection {
  const connection = kubeconfigConnection(kubeconfig);
  const { auth, ca, clientCertificate, proxyUrl } = connection;
  const pems = [ca, clientCertificate?.cert, clientCertificate?.key];
  const isInline = pems.every((source) => source === undefined || "pem" in source);
  if (!isInline || auth.type === "exec" || auth.type === "tokenFile") {
    throw new BowlineError(
      "KubeconfigInvalid",
      "The provider's kubeconfig names files or programs of its machine; it has to have certificates and tokens inside.",
    );
  }
  if (proxyUrl === undefined) return connection;
  throw new BowlineError(
    "KubeconfigInvalid",
    "The provider's kubeconfig names a proxy (proxy-url), which is not used for clusters that a provider has made; it has to have the address of the API server only.",
  );
}
