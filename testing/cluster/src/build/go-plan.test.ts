import { expect, it } from "vitest";
import { goModuleFiles, goPlan } from "./go-plan.ts";
import type { BuildStep } from "@bowline/test-services";

const folders = { work: "/cache/kube.building", bin: "/cache/kube.building/bin" };
const plan = goPlan(folders, "/opt/go/bin/go", {
  HOME: "/home/me",
  GOPROXY: "direct",
  GOWORK: "/my/go.work",
});

function step(title: string): Extract<BuildStep, { kind: "command" }> {
  const found = plan.find((each) => each.title === title);
  if (found?.kind !== "command") throw new Error(`There is no command "${title}" in the plan.`);
  return found;
}

it("downloads and compiles the programs of Kubernetes, then etcd", () => {
  expect(plan.map(({ title }) => title)).toEqual([
    "Download the modules of Kubernetes",
    "Compile kube-apiserver",
    "Compile kube-controller-manager",
    "Compile kube-scheduler",
    "Compile kubelet",
    "Compile kubectl",
    "Download the modules of etcd",
    "Compile etcd",
  ]);
});

it("tells the programs their version", () => {
  const { command, args, cwd } = step("Compile kubelet");
  expect(command).toBe("/opt/go/bin/go");
  expect(args.slice(-3)).toEqual(["-o", "/cache/kube.building/bin/kubelet", "k8s.io/kubernetes/cmd/kubelet"]);
  expect(cwd).toBe("/cache/kube.building/kubernetes");
  const flags = args[args.indexOf("-ldflags") + 1];
  expect(flags).toContain("-X k8s.io/component-base/version.gitVersion=v1.36.4");
  expect(flags).toContain("-X k8s.io/client-go/pkg/version.gitMinor=36");
});

it("takes modules from where this machine's Go takes them, and keeps them in the work folder", () => {
  const { env } = step("Download the modules of Kubernetes");
  expect(env).toMatchObject({ HOME: "/home/me", GOPROXY: "direct", GOWORK: "off", GOTOOLCHAIN: "local" });
  for (const name of ["TMPDIR", "GOMODCACHE", "GOCACHE"])
    expect(env[name]).toMatch(/^\/cache\/kube\.building/);
});

it("leaves a module cache that can be removed by anybody", () => {
  for (const each of plan) expect(each).toMatchObject({ args: expect.arrayContaining(["-modcacherw"]) });
});

it("asks for every part of Kubernetes in the same version", () => {
  const files = goModuleFiles();
  expect(files["kubernetes/go.mod"]).toContain("require k8s.io/kubernetes v1.36.4\n");
  expect(files["kubernetes/go.mod"]).toContain("replace k8s.io/client-go => k8s.io/client-go v0.36.4\n");
  expect(files["kubernetes/programs.go"]).toContain('import _ "k8s.io/kubernetes/cmd/kube-scheduler"\n');
});
