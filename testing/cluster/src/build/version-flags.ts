/**
 * The linker's flags that tell the programs of Kubernetes their version: clients show that of the first package, servers
 * that of the second. Both packages are looked for below `prefix`.
 */
export function versionFlags(version: string, prefix = ""): string {
  const [major, minor] = version.split(".");
  const packages = ["k8s.io/client-go/pkg/version", "k8s.io/component-base/version"];
  const values = [`gitVersion=v${version}`, `gitMajor=${major}`, `gitMinor=${minor}`];
  const settings = packages.flatMap((name) => values.map((value) => `-X ${prefix}${name}.${value}`));
  return ["-s", "-w", ...settings].join(" ");
}
