import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

import { createTempFolder } from "@bowline/test-services";
import { expect, it } from "vitest";

import { createImageArchive, type ImageOptions } from "./image-archive.ts";

const image: ImageOptions = {
  name: "localhost/demo:1",
  layers: [
    [{ type: "file", path: "bin/demo", content: Buffer.from("demo"), mode: 0o755 }],
    [{ type: "file", path: "etc/demo", content: Buffer.from("settings") }],
  ],
  entrypoint: ["/bin/demo"],
  command: ["--help"],
  env: { LEVEL: "debug" },
  user: "65532:65532",
  labels: { "org.opencontainers.image.version": "1" },
  arch: "x64",
};

interface Descriptor {
  readonly digest: string;
  readonly size: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

it("names everything by its digest, for engines that follow OCI and for docker load", async () => {
  await using folder = await createTempFolder("image-test");
  await writeFile(join(folder.path, "image.tar"), await createImageArchive(image));
  execFileSync("tar", ["--extract", "--file", "image.tar"], { cwd: folder.path });
  const read = (name: string): Promise<Buffer> => readFile(join(folder.path, name));
  const parsed = async <T>(name: string): Promise<T> => JSON.parse(String(await read(name)));
  const blob = async ({ digest, size }: Descriptor): Promise<Buffer> => {
    const content = await read(`blobs/${digest.replace(":", "/")}`);
    expect([`sha256:${sha256(content)}`, content.length]).toEqual([digest, size]);
    return content;
  };
  expect(await parsed("oci-layout")).toEqual({ imageLayoutVersion: "1.0.0" });
  const { manifests } = await parsed<{ manifests: [Descriptor] }>("index.json");
  expect(manifests[0].annotations).toMatchObject({ "io.containerd.image.name": "localhost/demo:1" });
  const manifest: { config: Descriptor; layers: Descriptor[] } = JSON.parse(String(await blob(manifests[0])));
  const layers = await Promise.all(manifest.layers.map(blob));
  expect(JSON.parse(String(await blob(manifest.config)))).toMatchObject({
    architecture: "amd64",
    os: "linux",
    created: "1970-01-01T00:00:00.000Z",
    config: {
      User: "65532:65532",
      Entrypoint: ["/bin/demo"],
      Cmd: ["--help"],
      Env: expect.arrayContaining(["LEVEL=debug"]),
      Labels: { "org.opencontainers.image.version": "1" },
    },
    rootfs: { type: "layers", diff_ids: layers.map((layer) => `sha256:${sha256(gunzipSync(layer))}`) },
  });
  const blobPath = ({ digest }: Descriptor): string => `blobs/${digest.replace(":", "/")}`;
  expect(await parsed("manifest.json")).toEqual([
    {
      Config: blobPath(manifest.config),
      RepoTags: ["localhost/demo:1"],
      Layers: manifest.layers.map(blobPath),
    },
  ]);
});

it("is the same bytes when it is made again", async () => {
  expect((await createImageArchive(image)).equals(await createImageArchive(image))).toBe(true);
});

function sha256(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
