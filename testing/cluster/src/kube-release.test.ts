import { expect, it } from "vitest";
import { kubeMinorVersion, kubeReleases, releaseNamed } from "./kube-release.ts";

it.each([
  ["v1.20.2", 20],
  ["v1.36.0-alpha.1+abc", 36],
])("reads %s", (version, minor) => {
  expect(kubeMinorVersion(version)).toBe(minor);
});

it.each(kubeReleases)("knows $name by its name", (release) => {
  expect(releaseNamed(release.name)).toBe(release);
  expect(release.version.startsWith(`${release.name}.`)).toBe(true);
});

it("says which releases there are when asked for another", () => {
  expect(() => releaseNamed("1.4")).toThrow('There is no Kubernetes "1.4" for tests: choose 1.36 or 1.20.');
});
