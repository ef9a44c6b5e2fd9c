/** Says whose a container is. It has it from its first moment, as kind takes it from the configuration. */
export interface NodeMark {
  readonly installation: string;
  /** The id of the cluster's object. */
  readonly cluster: string;
  /** What people call the cluster, for whoever has lost everything but its name. */
  readonly name: string;
  /** Of the record: another one for each attempt. */
  readonly token: string;
}

const folder = "/bowline.dev";

/**
 * The path in the container where the mark is mounted. kind's configuration has no labels for containers, but mounts, and
 * engines tell the paths of those of each container.
 */
export function markPath({ installation, cluster, name, token }: NodeMark): string {
  return [folder, installation, cluster, name, token].join("/");
}

/** The mark among the paths that are mounted in a container. */
export function findMark(paths: readonly string[]): NodeMark | undefined {
  for (const path of paths) {
    const [, root, installation, cluster, name, token, ...rest] = path.split("/");
    if (`/${root}` !== folder || rest.length > 0) continue;
    if (!installation || !cluster || !name || !token) continue;
    return { installation, cluster, name, token };
  }
  return undefined;
}
