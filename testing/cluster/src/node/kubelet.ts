import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { kubeMinorVersion } from "../kube-release.ts";
import { containerdEndpoint } from "./containerd.ts";
import { nodeFilesFolder, type NodeNamespace } from "./node-namespace.ts";

export interface KubeletOptions {
  readonly binary: string;
  readonly version: string;
  readonly nodeName: string;
  readonly address: string;
  readonly cgroupRoot: string;
  /** The text of a kubeconfig for the node's own user. */
  readonly kubeconfig: string;
  readonly isReady: (signal: AbortSignal) => Promise<boolean>;
}

export async function startKubelet(node: NodeNamespace, options: KubeletOptions): Promise<void> {
  await writeFile(join(node.filesFolder, "kubelet.json"), JSON.stringify(kubeletConfig(options)));
  await writeFile(join(node.filesFolder, "kubelet.kubeconfig"), options.kubeconfig, { mode: 0o600 });
  await node.start({
    name: "kubelet",
    command: options.binary,
    args: [
      `--config=${nodeFilesFolder}/kubelet.json`,
      `--kubeconfig=${nodeFilesFolder}/kubelet.kubeconfig`,
      `--hostname-override=${options.nodeName}`,
      `--node-ip=${options.address}`,
      ...runtimeFlags(options.version),
    ],
    isReady: options.isReady,
    readyTimeoutMs: 120_000,
  });
}

/** Before 1.24 the kubelet had a container engine of its own, before 1.27 it wanted to be told not to use it. */
function runtimeFlags(version: string): string[] {
  const endpoint = `--container-runtime-endpoint=${containerdEndpoint}`;
  return kubeMinorVersion(version) < 27 ? ["--container-runtime=remote", endpoint] : [endpoint];
}

function kubeletConfig({ version, address, cgroupRoot }: KubeletOptions): unknown {
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    address,
    // Only this machine can reach the address, and the API server shows no certificate to the kubelet.
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: "AlwaysAllow" },
    readOnlyPort: 0,
    cgroupDriver: "cgroupfs",
    cgroupRoot,
    failSwapOn: false,
    ...(kubeMinorVersion(version) < 31 ? {} : { failCgroupV1: false }),
    // A full disk of the machine is no reason to refuse a test's pods.
    evictionHard: {},
    resolvConf: "",
    makeIPTablesUtilChains: false,
    volumePluginDir: "/var/lib/kubelet/volume-plugins",
    nodeStatusUpdateFrequency: "1s",
  };
}
