import { BowlineError } from "@bowline/core";
import { kubeconfigConnection, type ClusterConnection } from "@bowline/kube";

/**
 * The way into a cluster that a provider's kubeconfig describes. A provider may say anything: no file of this machine is
 * read for it, no program started, no proxy asked for it, and nobody gets the agent's secrets who cannot show a
 * certificate.
 */
export function inlineConnection(kubeconfig: string): ClusterConnection {
  const connection = kubeconfigConnection(kubeconfig);
  const { auth, ca, clientCertificate, insecureSkipVerify, proxyUrl, server } = connection;
  const pems = [ca, clientCertificate?.cert, clientCertificate?.key];
  const isInline = pems.every((source) => source === undefined || "pem" in source);
  if (!isInline || auth.type === "exec" || auth.type === "tokenFile") {
    throw refused("names files or programs of its machine; it has to have certificates and tokens inside");
  }
  if (proxyUrl !== undefined) {
    throw refused(
      "names a proxy (proxy-url), which is not used for clusters that a provider has made; it has to have the address of the API server only",
    );
  }
  if (insecureSkipVerify || new URL(server).protocol !== "https:") {
    throw refused(
      "would have secrets sent to whoever answers (insecure-skip-tls-verify, or a server without https); it has to have the certificate-authority-data of the API server",
    );
  }
  return connection;
}

function refused(why: string): BowlineError {
  return new BowlineError("KubeconfigInvalid", `The provider's kubeconfig ${why}.`);
}
