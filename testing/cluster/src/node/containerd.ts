import { randomUUID } from "node:crypto";
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createImageArchive, type ImageOptions } from "@bowline/packaging";
import { requireProgram } from "@bowline/test-services";
import { cniFolder, containerdProgram } from "../cluster-programs.ts";
import { nodeFilesFolder, type NodeNamespace } from "./node-namespace.ts";

export const containerdEndpoint = "unix:///run/containerd/containerd.sock";
export const pauseImage = "localhost/pause:1";

/** The container engine of the node, with a bridge for its pods. */
export async function startContainerd(node: NodeNamespace, podRange: string): Promise<void> {
  await mkdir(join(node.filesFolder, "cni"));
  await writeFile(join(node.filesFolder, "cni", "bridge.conflist"), JSON.stringify(cniConfig(podRange)));
  await writeFile(join(node.filesFolder, "containerd.toml"), containerdConfig);
  await node.start({
    name: "containerd",
    command: await requireProgram(containerdProgram),
    args: ["--config", `${nodeFilesFolder}/containerd.toml`],
    isReady: () => answers(node),
  });
}

/** Makes the image and hands it to the kubelet's part of containerd. */
export async function importImage(node: NodeNamespace, image: ImageOptions): Promise<void> {
  const fileName = `${encodeURIComponent(image.name)}.tar`;
  await writeFile(join(node.filesFolder, fileName), await createImageArchive(image));
  await importFile(node, fileName);
}

/** The same for an archive of this machine, which the node may not see where it is. */
export async function importArchive(node: NodeNamespace, file: string): Promise<void> {
  const fileName = `${randomUUID()}.tar`;
  await copyFile(file, join(node.filesFolder, fileName));
  await importFile(node, fileName);
  await rm(join(node.filesFolder, fileName));
}

async function importFile(node: NodeNamespace, fileName: string): Promise<void> {
  await node.run("ctr", "--namespace", "k8s.io", "images", "import", `${nodeFilesFolder}/${fileName}`);
}

/** Gives an image another name. */
export async function tagImage(node: NodeNamespace, name: string, other: string): Promise<void> {
  await node.run("ctr", "--namespace", "k8s.io", "images", "tag", name, other);
}

async function answers(node: NodeNamespace): Promise<boolean> {
  await node.run("ctr", "--timeout", "2s", "version");
  return true;
}

/**
 * Without `restrict_oom_score_adj` no pod starts on a machine that lacks CAP_SYS_RESOURCE: most containers and many
 * small virtual machines. Network namespaces go where the rest of the state is.
 */
const containerdConfig = `version = 2
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${cniFolder}"
    conf_dir = "${nodeFilesFolder}/cni"
`;

function cniConfig(podRange: string): unknown {
  return {
    cniVersion: "0.4.0",
    name: "bowline",
    plugins: [
      {
        type: "bridge",
        bridge: "cni0",
        isGateway: true,
        ipam: { type: "host-local", ranges: [[{ subnet: podRange }]], routes: [{ dst: "0.0.0.0/0" }] },
      },
    ],
  };
}
