import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTempFolder } from "@bowline/test-services";
import { expect, it, onTestFinished } from "vitest";
import { whyNoControlPlane } from "./cluster-obstacles.ts";
import { builtKubeFolder, findKubeBinaries, requireKubeBinaries } from "./kube-binaries.ts";
import { floorRelease, newestRelease } from "./kube-release.ts";

const all = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kubectl", "etcd"];

async function cacheHome(): Promise<string> {
  const folder = await createTempFolder("cache");
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return folder.path;
}

async function fill(folder: string, programs: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const program of programs) await writeFile(join(folder, program), "", { mode: 0o755 });
}

it("finds what was built, in the cache that XDG names", async () => {
  const env = { XDG_CACHE_HOME: await cacheHome() };
  expect(await findKubeBinaries(env)).toBeUndefined();
  const folder = builtKubeFolder(env, floorRelease);
  expect(folder).toBe(join(env.XDG_CACHE_HOME, "bowline", "kube-1.20.2-2"));
  await fill(folder, all);
  expect(await findKubeBinaries(env)).toEqual({ folder, origin: "cache", missing: [] });
});

it("prefers the newest release, unless another is chosen", async () => {
  const env = { XDG_CACHE_HOME: await cacheHome() };
  const [newest, floor] = [builtKubeFolder(env, newestRelease), builtKubeFolder(env, floorRelease)];
  await fill(newest, all);
  await fill(floor, all);
  expect(await findKubeBinaries(env)).toMatchObject({ folder: newest });
  expect(await findKubeBinaries({ ...env, TEST_KUBERNETES: "1.20" })).toMatchObject({ folder: floor });
  expect(await findKubeBinaries({ ...env, TEST_KUBERNETES: "1.20" }, "1.36")).toMatchObject({
    folder: newest,
  });
});

it("does not take another release for the one that is chosen", async () => {
  const env = { XDG_CACHE_HOME: await cacheHome(), TEST_KUBERNETES: "1.36" };
  await fill(builtKubeFolder(env, floorRelease), all);
  expect(await findKubeBinaries(env)).toBeUndefined();
});

it("does not take a cache that lacks a program", async () => {
  const env = { XDG_CACHE_HOME: await cacheHome() };
  await fill(builtKubeFolder(env, floorRelease), all.slice(1));
  expect(await findKubeBinaries(env)).toBeUndefined();
  await expect(requireKubeBinaries(env)).rejects.toMatchObject({
    code: "MissingProgram",
    message: expect.stringContaining("npm run test:cluster"),
  });
});

it("prefers KUBEBUILDER_ASSETS, and says what is not in it", async () => {
  const home = await cacheHome();
  const env = { XDG_CACHE_HOME: home, KUBEBUILDER_ASSETS: join(home, "envtest") };
  await fill(builtKubeFolder(env, floorRelease), all);
  await fill(env.KUBEBUILDER_ASSETS, ["kube-apiserver", "etcd", "kubectl"]);
  expect(await findKubeBinaries(env)).toEqual({
    folder: env.KUBEBUILDER_ASSETS,
    origin: "KUBEBUILDER_ASSETS",
    missing: ["kube-controller-manager", "kube-scheduler", "kubelet"],
  });
  expect(await requireKubeBinaries(env)).toBe(env.KUBEBUILDER_ASSETS);
  expect(await whyNoControlPlane(env)).toContain("there is no kube-controller-manager, no kube-scheduler in");
});

it("names what is missing from KUBEBUILDER_ASSETS instead of looking elsewhere", async () => {
  const home = await cacheHome();
  const env = { XDG_CACHE_HOME: home, KUBEBUILDER_ASSETS: join(home, "envtest") };
  await fill(builtKubeFolder(env, floorRelease), all);
  await fill(env.KUBEBUILDER_ASSETS, ["kubectl"]);
  await expect(findKubeBinaries(env)).rejects.toThrow("there is no kube-apiserver, no etcd in it");
});
