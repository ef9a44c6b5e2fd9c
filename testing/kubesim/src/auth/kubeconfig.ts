import { stringify } from "yaml";

export interface KubeconfigInit {
  readonly name: string;
  readonly server: string;
  /** PEM; empty without TLS. */
  readonly caCert: string;
  readonly user: string;
  readonly token: string;
}

/** The text of a kubeconfig with one cluster, one user and one context. */
export function kubeconfigText({ name, server, caCert, user, token }: KubeconfigInit): string {
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name,
        cluster: {
          server,
          ...(caCert === "" ? {} : { "certificate-authority-data": Buffer.from(caCert).toString("base64") }),
        },
      },
    ],
    users: [{ name: user, user: { token } }],
    contexts: [{ name, context: { cluster: name, user } }],
    "current-context": name,
  });
}
