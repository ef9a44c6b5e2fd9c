import type { RequiredProgram } from "@bowline/test-services";

/** Debian's compiler at its own path: another Go may come first in PATH. */
export const goProgram = "/usr/lib/go-1.19/bin/go";
/** Sources, not a program: a version of this library that works with that compiler. */
export const reflect2Folder = "/usr/share/gocode/src/github.com/modern-go/reflect2";
export const cniFolder = "/usr/lib/cni";
export const debianEtcdProgram = { program: "/usr/bin/etcd", debianPackage: "etcd-server" } as const;
export const containerdProgram = { program: "containerd", debianPackage: "containerd" } as const;
export const busyboxProgram = { program: "busybox", debianPackage: "busybox-static" } as const;

/** What a container engine needs beside its own programs. */
export const enginePrograms = [
  containerdProgram,
  { program: "runc", debianPackage: "runc" },
  { program: "iptables", debianPackage: "iptables" },
  { program: "ip", debianPackage: "iproute2" },
] as const satisfies readonly RequiredProgram[];

/** Every program this harness takes from Debian's packages, by what it is for. */
export const clusterPrograms = {
  /** To compile Kubernetes; dpkg-dev brings make, patch and xz as well. */
  build: [
    { program: goProgram, debianPackage: "golang-1.19-go" },
    { program: reflect2Folder, debianPackage: "golang-github-modern-go-reflect2-dev" },
    { program: "dpkg-source", debianPackage: "dpkg-dev" },
    { program: "rsync", debianPackage: "rsync" },
    { program: "jq", debianPackage: "jq" },
  ],
  controlPlane: [debianEtcdProgram],
  node: [
    ...enginePrograms,
    { program: `${cniFolder}/bridge`, debianPackage: "containernetworking-plugins" },
    busyboxProgram,
  ],
} as const satisfies Record<string, readonly RequiredProgram[]>;
