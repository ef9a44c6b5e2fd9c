import { expect, it } from "vitest";
import { kubeMinorVersion } from "./kube-version.ts";

it.each([
  ["v1.20.2", 20],
  ["v1.36.0-alpha.1+abc", 36],
])("reads %s", (version, minor) => {
  expect(kubeMinorVersion(version)).toBe(minor);
});
