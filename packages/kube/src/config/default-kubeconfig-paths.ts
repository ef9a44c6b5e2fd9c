import { delimiter, join } from "node:path";

/** Where kubectl looks: the list in `KUBECONFIG`, or `~/.kube/config`. */
export function defaultKubeconfigPaths(
  env: { readonly KUBECONFIG?: string | undefined },
  homeDirectory: string,
): string[] {
  const listed = (env.KUBECONFIG ?? "").split(delimiter).filter((path) => path !== "");
  return listed.length === 0 ? [join(homeDirectory, ".kube", "config")] : [...new Set(listed)];
}
