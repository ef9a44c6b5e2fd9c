import { dirname, join } from "node:path";
import { aptGetCommand } from "@bowline/test-services";
import { goProgram, reflect2Folder } from "../cluster-programs.ts";
import { builtPrograms } from "../kube-binaries.ts";
import { floorRelease } from "../kube-release.ts";
import type { BuildFolders, BuildStep } from "@bowline/test-services";
import { versionFlags } from "./version-flags.ts";

/** The packages that are missing, then the source, then one step per program. */
export function debianPlan(
  folders: BuildFolders,
  missingPackages: readonly string[],
  sourceAptOptions: readonly string[],
): BuildStep[] {
  return [
    ...installSteps(missingPackages),
    ...sourceSteps(folders.work, sourceAptOptions),
    ...compileSteps(folders),
    shellStep("Link etcd", folders.work, 'ln --symbolic "$(command -v etcd)" "$1"', [folders.bin]),
  ];
}

function installSteps(packages: readonly string[]): BuildStep[] {
  return packages.length === 0
    ? []
    : [{ kind: "install", title: `Install ${packages.join(", ")}`, packages }];
}

function sourceSteps(work: string, aptOptions: readonly string[]): BuildStep[] {
  const tree = sourceTree(work);
  const apt = (title: string, args: readonly string[]): BuildStep => {
    return { kind: "command", title, ...aptGetCommand([...aptOptions, ...args]), cwd: work };
  };
  return [
    apt("Find Debian's source packages", ["update"]),
    apt("Download the source of Kubernetes", ["source", "--download-only", "kubernetes"]),
    shellStep("Unpack it", work, 'mkdir -p "$1" && dpkg-source --extract --no-copy kubernetes_*.dsc "$2"', [
      dirname(tree),
      tree,
    ]),
    shellStep("Mend what a newer compiler breaks", work, mendScript, [join(tree, "vendor"), reflect2Folder]),
  ];
}

/**
 * Kubernetes 1.20 was written for Go 1.15. Compiled with 1.19, the old reflect2 it brings crashes the API server at the
 * first custom resource, and a comparison that used to be false takes every empty string in one for null.
 */
const mendScript = `
reflect2="$1/github.com/modern-go/reflect2"
rm "$reflect2"/*.go "$reflect2"/*.s
cp "$2"/*.go "$2"/*.s "$reflect2"
validator="$1/k8s.io/kube-openapi/pkg/validation/validate/type.go"
sed --in-place 's/data == nil || reflect.DeepEqual(.*) {$/data == nil {/' "$validator"
grep --quiet 'if data == nil {$' "$validator"
`;

function compileSteps({ work, bin }: BuildFolders): BuildStep[] {
  const step = (title: string, command: string, args: readonly string[]): BuildStep => {
    return { kind: "command", title, command, args, env: goEnvironment(work), cwd: sourceTree(work) };
  };
  const flags = ["-trimpath", "-ldflags", versionFlags(floorRelease.version, vendoredPackages)];
  return [
    // The API server does not compile without these generated files, and the source package leaves them out.
    step("Generate the OpenAPI definitions", "make", ["gen_openapi"]),
    ...builtPrograms.map((program) =>
      step(`Compile ${program}`, goProgram, [
        "build",
        ...flags,
        "-o",
        join(bin, program),
        `./cmd/${program}`,
      ]),
    ),
  ];
}

function shellStep(title: string, work: string, script: string, args: readonly string[]): BuildStep {
  return {
    kind: "command",
    title,
    command: "sh",
    args: ["-ec", script, "sh", ...args],
    env: goEnvironment(work),
    cwd: work,
  };
}

/** Kubernetes 1.20 has a go.mod that newer compilers refuse with vendored modules, so it is built the GOPATH way. */
function sourceTree(work: string): string {
  return join(work, "go", "src", "k8s.io", "kubernetes");
}

/** Nothing of the caller's environment: another Go in PATH, GOFLAGS or GOROOT would change or break the build. */
function goEnvironment(work: string): NodeJS.ProcessEnv {
  return {
    PATH: `${dirname(goProgram)}:/usr/sbin:/usr/bin:/sbin:/bin`,
    HOME: work,
    TMPDIR: join(work, "tmp"),
    LC_ALL: "C.UTF-8",
    GOPATH: join(work, "go"),
    GOCACHE: join(work, "go-cache"),
    GOENV: "off",
    GOFLAGS: "",
    GO111MODULE: "off",
    CGO_ENABLED: "0",
  };
}

/**
 * In GOPATH mode the packages that hold the version are linked under their vendored path; a name that matches nothing
 * is ignored by the linker, and the version stays v0.0.0-master.
 */
const vendoredPackages = "k8s.io/kubernetes/vendor/";
