import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTempFolder } from "@bowline/test-services";
import { expect, it } from "vitest";
import { createDockerArchive } from "./docker-archive.ts";

it("names the image, its configuration and its layer by their digests", async () => {
  await using folder = await createTempFolder("image-test");
  const archive = createDockerArchive({
    name: "localhost/demo:1",
    entries: [{ type: "file", path: "bin/demo", content: Buffer.from("demo"), mode: 0o755 }],
    entrypoint: ["/bin/demo"],
    command: ["--help"],
    env: { LEVEL: "debug" },
    arch: "x64",
  });
  await writeFile(join(folder.path, "image.tar"), archive);
  execFileSync("tar", ["--extract", "--file", "image.tar"], { cwd: folder.path });
  const read = (name: string): Promise<Buffer> => readFile(join(folder.path, name));

  const [manifest] = JSON.parse(String(await read("manifest.json"))) as [
    { Config: string; Layers: string[] },
  ];
  expect(manifest).toMatchObject({ RepoTags: ["localhost/demo:1"], Layers: ["layer.tar"] });
  const config = await read(manifest.Config);
  expect(manifest.Config).toBe(`${sha256(config)}.json`);
  expect(JSON.parse(String(config))).toMatchObject({
    architecture: "amd64",
    os: "linux",
    config: {
      Entrypoint: ["/bin/demo"],
      Cmd: ["--help"],
      Env: expect.arrayContaining(["LEVEL=debug"]),
    },
    rootfs: { type: "layers", diff_ids: [`sha256:${sha256(await read("layer.tar"))}`] },
  });
});

function sha256(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
