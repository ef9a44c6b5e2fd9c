import { programFiles, type ImageOptions } from "@bowline/packaging";
import { busyboxRoot } from "@bowline/test-cluster";

import { mountPaths } from "../objects/pod-layout.ts";

interface CollectorImageOptions {
  readonly name: string;
  /** The path of Prometheus on this machine. */
  readonly prometheus: string;
  /** Where the configuration is sent to before the collector reads it. */
  readonly configUrl: string;
}

/**
 * An image of a Prometheus that has its configuration rewritten (see `DiscoveryStandIn`). The operator's script ends
 * with `sed`, which the shell of this image has as a function that goes on to the stand-in.
 */
export async function collectorImage(options: CollectorImageOptions): Promise<ImageOptions> {
  const root = (await busyboxRoot()).filter(({ path }) => path !== "bin/sh");
  const shell = Buffer.from(shellScript(options.configUrl));
  const layer = [
    ...root,
    { type: "file" as const, path: "bin/sh", content: shell, mode: 0o755 },
    ...(await programFiles(options.prometheus, "bin/prometheus")),
  ];
  return { name: options.name, layers: [layer], entrypoint: ["/bin/prometheus"] };
}

/** A function, because the shell of busybox looks for its own tools before those in the path. */
function shellScript(configUrl: string): string {
  const filled = `${mountPaths.config}/filled`;
  return `#!/bin/busybox sh
shift
script="$1"
shift
exec /bin/busybox sh -c "sed() {
  busybox sed \\"\\$@\\" > ${filled} && busybox wget -q -O - --post-file=${filled} ${configUrl}
}
$script" "$@"
`;
}
