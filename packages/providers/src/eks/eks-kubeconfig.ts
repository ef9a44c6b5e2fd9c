/** How somebody is known to a control plane: by a token that ends within fifteen minutes, or by a program that makes one. */
export type EksUser = { readonly token: string } | { readonly exec: object };

/** JSON is YAML too. */
export function eksKubeconfig(cluster: {
  readonly name: string;
  readonly endpoint: string;
  readonly caData: string;
  readonly user: EksUser;
}): string {
  const { name, endpoint, caData, user } = cluster;
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server: endpoint, "certificate-authority-data": caData } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    "current-context": name,
  });
}
