import { connect, KubeClient } from "@bowline/kube";

export interface TokenCredentials {
  readonly server: string;
  /** PEM. */
  readonly caCert: string;
  readonly token: string;
}

/** A client that shows a bearer token. Whoever asks for it closes its transport. */
export function connectWithToken({ server, caCert, token }: TokenCredentials): KubeClient {
  const transport = connect({
    name: "contract",
    server,
    namespace: "default",
    ca: { pem: caCert },
    insecureSkipVerify: false,
    auth: { type: "token", token },
  });
  return new KubeClient(transport);
}
