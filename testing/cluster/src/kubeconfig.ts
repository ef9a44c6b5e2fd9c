export interface KubeconfigOptions {
  readonly url: string;
  readonly caCert: string;
  readonly user: string;
  readonly token: string;
}

/** A kubeconfig with one cluster, one user and one context. It is JSON, which every reader of YAML reads. */
export function kubeconfigText({ url, caCert, user, token }: KubeconfigOptions): string {
  const cluster = "bowline-test";
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: cluster,
        cluster: { server: url, "certificate-authority-data": Buffer.from(caCert).toString("base64") },
      },
    ],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: cluster, context: { cluster, user } }],
    "current-context": cluster,
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
