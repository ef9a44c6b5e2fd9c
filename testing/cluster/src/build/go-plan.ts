import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { builtPrograms } from "../kube-binaries.ts";
import { newestRelease } from "../kube-release.ts";
import type { BuildFolders, BuildStep } from "@bowline/test-services";
import { versionFlags } from "./version-flags.ts";

/** The API server streams initial lists from etcd 3.5 on; 3.6 is what Kubernetes 1.36 is tested with. */
const etcdVersion = "3.6.16";
/** The language version of Kubernetes 1.36. */
const goVersion = "1.26.0";

/**
 * The parts of Kubernetes that are published as modules of their own. Its go.mod asks for all of them in version v0.0.0
 * and replaces that by its own folders, which only counts in its own tree: here they are replaced by what is published.
 */
const stagingModules = [
  "api",
  "apiextensions-apiserver",
  "apimachinery",
  "apiserver",
  "cli-runtime",
  "client-go",
  "cloud-provider",
  "cluster-bootstrap",
  "code-generator",
  "component-base",
  "component-helpers",
  "controller-manager",
  "cri-api",
  "cri-client",
  "cri-streaming",
  "csi-translation-lib",
  "dynamic-resource-allocation",
  "endpointslice",
  "externaljwt",
  "kms",
  "kube-aggregator",
  "kube-controller-manager",
  "kube-proxy",
  "kube-scheduler",
  "kubectl",
  "kubelet",
  "metrics",
  "mount-utils",
  "pod-security-admission",
  "streaming",
];

/** Kubernetes and etcd as Go modules, by name, from wherever this machine's Go gets its modules. */
export function goPlan({ work, bin }: BuildFolders, go: string, env: NodeJS.ProcessEnv): BuildStep[] {
  const goEnv = goEnvironment(work, env);
  const step = (module: string, title: string, args: readonly string[]): BuildStep => {
    return { kind: "command", title, command: go, args, env: goEnv, cwd: join(work, module) };
  };
  const compile = (module: string, program: string, source: string): BuildStep => {
    const flags = ["-modcacherw", "-trimpath", "-ldflags", versionFlags(newestRelease.version)];
    return step(module, `Compile ${program}`, ["build", ...flags, "-o", join(bin, program), source]);
  };
  const download = ["mod", "tidy", "-modcacherw"];
  return [
    step("kubernetes", "Download the modules of Kubernetes", download),
    ...builtPrograms.map((program) => compile("kubernetes", program, `k8s.io/kubernetes/cmd/${program}`)),
    step("etcd", "Download the modules of etcd", download),
    compile("etcd", "etcd", "."),
  ];
}

/** Writes the two modules that ask for Kubernetes and etcd. */
export async function writeGoModules(work: string): Promise<void> {
  for (const [path, text] of Object.entries(goModuleFiles())) {
    await mkdir(dirname(join(work, path)), { recursive: true });
    await writeFile(join(work, path), text);
  }
}

/** The files of both modules by their paths. */
export function goModuleFiles(): Record<string, string> {
  const stagingVersion = newestRelease.version.replace(/^1/, "v0");
  return {
    "kubernetes/go.mod": lines(
      "module kubernetes.test",
      `go ${goVersion}`,
      `require k8s.io/kubernetes v${newestRelease.version}`,
      ...stagingModules.map((name) => `replace k8s.io/${name} => k8s.io/${name} ${stagingVersion}`),
    ),
    // Only an import makes `go mod tidy` look for a package; the tag keeps the compiler away from this file.
    "kubernetes/programs.go": lines(
      "//go:build programs\n",
      "package programs\n",
      ...builtPrograms.map((program) => `import _ "k8s.io/kubernetes/cmd/${program}"`),
    ),
    "etcd/go.mod": lines(
      "module etcd.test",
      `go ${goVersion}`,
      `require go.etcd.io/etcd/server/v3 v${etcdVersion}`,
    ),
    "etcd/main.go": lines(
      "package main\n",
      'import "os"',
      'import "go.etcd.io/etcd/server/v3/etcdmain"\n',
      "func main() { etcdmain.Main(os.Args) }",
    ),
  };
}

/**
 * The caller's environment says where modules come from. Caches are kept apart and go with the work folder, and the Go
 * that was found is the one that compiles.
 */
function goEnvironment(work: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...env,
    TMPDIR: join(work, "tmp"),
    GOMODCACHE: join(work, "go-modules"),
    GOCACHE: join(work, "go-cache"),
    GOTOOLCHAIN: "local",
    GOWORK: "off",
    CGO_ENABLED: "0",
  };
}

function lines(...all: string[]): string {
  return `${all.join("\n")}\n`;
}
