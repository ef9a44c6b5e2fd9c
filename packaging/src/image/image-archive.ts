import { createHash } from "node:crypto";
import { createTar, type TarEntry } from "./tar.ts";

export interface ImageOptions {
  /** With a registry and a tag, for example `localhost/busybox:1`. */
  readonly name: string;
  /** The whole root file system. */
  readonly entries: readonly TarEntry[];
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly workingFolder?: string;
  /** As Node names it, `process.arch`. */
  readonly arch?: string;
}

/** An image of one layer, in the format that `docker save` writes and every container engine imports. */
export function createDockerArchive(image: ImageOptions): Buffer {
  const layer = createTar(image.entries);
  const config = Buffer.from(
    JSON.stringify({
      architecture: goArchitecture(image.arch ?? process.arch),
      os: "linux",
      config: {
        Env: Object.entries({ PATH: "/bin:/usr/bin:/sbin:/usr/sbin", ...image.env }).map(
          ([name, value]) => `${name}=${value}`,
        ),
        Entrypoint: image.entrypoint ?? [],
        Cmd: image.command ?? [],
        WorkingDir: image.workingFolder ?? "/",
      },
      rootfs: { type: "layers", diff_ids: [`sha256:${sha256(layer)}`] },
      history: [{ created_by: "bowline test image" }],
    }),
  );
  const configPath = `${sha256(config)}.json`;
  const manifest = [{ Config: configPath, RepoTags: [image.name], Layers: ["layer.tar"] }];
  return createTar([
    { type: "file", path: "manifest.json", content: Buffer.from(JSON.stringify(manifest)) },
    { type: "file", path: configPath, content: config },
    { type: "file", path: "layer.tar", content: layer },
  ]);
}

function sha256(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function goArchitecture(nodeArch: string): string {
  return nodeArch === "x64" ? "amd64" : nodeArch;
}
