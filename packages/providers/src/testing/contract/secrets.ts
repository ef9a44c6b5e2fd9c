import { expect } from "vitest";

import type { ProviderStage } from "../provider-stage.ts";
import { expectNoSecret, staged } from "../staged-cluster.ts";

/**
 * The values of credentials, and the way into the cluster, are used and forgotten. All other topics look for the values
 * as well, in whatever went wrong there.
 */
export async function secrets(stage: ProviderStage): Promise<void> {
  await staged(stage, async (cluster) => {
    await cluster.create();
    const provider = cluster.world.provider();
    const { kubeconfig } = await provider.credentials(cluster.work());
    expect(kubeconfig).toContain("server");
    await cluster.create();
    await expectNoSecret(cluster, [kubeconfig, ...secretsOf(kubeconfig)]);
    await cluster.delete();
    await expectNoSecret(cluster, [kubeconfig, ...secretsOf(kubeconfig)]);
  });
}

/** As YAML and JSON have them; shorter ones are found everywhere. */
function secretsOf(kubeconfig: string): string[] {
  const fields = /["']?(?:token|password|client-key-data)["']?:\s*["']?([^\s"',}]{8,})/g;
  return [...kubeconfig.matchAll(fields)].flatMap(([, secret]) => (secret === undefined ? [] : [secret]));
}
