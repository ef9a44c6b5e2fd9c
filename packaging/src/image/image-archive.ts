import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

import { createTar, type TarEntry } from "@bowline/core";

export interface ImageOptions {
  /** With a registry and a tag, for example `localhost/busybox:1`. */
  readonly name: string;
  /** What each layer adds to the root file system. */
  readonly layers: readonly (readonly TarEntry[])[];
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly workingFolder?: string;
  /** As `65532:65532`; root when not given. */
  readonly user?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** When it is said to be made; at the beginning of time when not given. */
  readonly createdAt?: Date | undefined;
  /** As Node names it, `process.arch`. */
  readonly arch?: string;
}

interface Blob {
  readonly digest: string;
  readonly content: Buffer;
}

const path = (digest: string): string => `blobs/sha256/${digest}`;

/**
 * An image as a layout of OCI in a tar file, with the list that `docker load` looks for beside it: every container
 * engine takes it. The same options make the same bytes.
 */
export async function createImageArchive(image: ImageOptions): Promise<Buffer> {
  const tars = image.layers.map((entries) => createTar(entries));
  const layers = await Promise.all(tars.map(async (tar) => blob(await promisify(gzip)(tar))));
  const config = blob(configOf(image, tars));
  const manifest = blob(
    json({
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      config: descriptor(config, mediaTypes.config),
      layers: layers.map((layer) => descriptor(layer, mediaTypes.layer)),
    }),
  );
  const annotations = {
    "io.containerd.image.name": image.name,
    "org.opencontainers.image.ref.name": tagOf(image.name),
  };
  const index = {
    schemaVersion: 2,
    mediaType: mediaTypes.index,
    manifests: [{ ...descriptor(manifest, mediaTypes.manifest), annotations }],
  };
  const forDocker = [
    {
      Config: path(config.digest),
      RepoTags: [image.name],
      Layers: layers.map(({ digest }) => path(digest)),
    },
  ];
  return createTar([
    file("oci-layout", json({ imageLayoutVersion: "1.0.0" })),
    file("index.json", json(index)),
    file("manifest.json", json(forDocker)),
    ...[config, manifest, ...layers].map(({ digest, content }) => file(path(digest), content)),
  ]);
}

const mediaTypes = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
} as const;

function configOf(image: ImageOptions, tars: readonly Buffer[]): Buffer {
  const env = { PATH: "/bin:/usr/bin:/sbin:/usr/sbin", ...image.env };
  const created = (image.createdAt ?? new Date(0)).toISOString();
  return json({
    created,
    architecture: goArchitecture(image.arch ?? process.arch),
    os: "linux",
    config: {
      ...(image.user === undefined ? {} : { User: image.user }),
      Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
      Entrypoint: image.entrypoint ?? [],
      Cmd: image.command ?? [],
      WorkingDir: image.workingFolder ?? "/",
      ...(image.labels === undefined ? {} : { Labels: image.labels }),
    },
    rootfs: { type: "layers", diff_ids: tars.map((tar) => `sha256:${sha256(tar)}`) },
    history: tars.map(() => ({ created, created_by: "bowline" })),
  });
}

function descriptor({ digest, content }: Blob, mediaType: string): object {
  return { mediaType, digest: `sha256:${digest}`, size: content.byteLength };
}

function blob(content: Buffer): Blob {
  return { digest: sha256(content), content };
}

function file(path: string, content: Buffer): TarEntry {
  return { type: "file", path, content };
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function sha256(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function tagOf(name: string): string {
  return name.slice(name.lastIndexOf(":") + 1);
}

function goArchitecture(nodeArch: string): string {
  return nodeArch === "x64" ? "amd64" : nodeArch;
}
