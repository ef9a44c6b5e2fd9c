import { expect, it } from "vitest";
import { debianPlan } from "./debian-plan.ts";
import type { CommandStep } from "@bowline/test-services";

const folders = { work: "/cache/kube.building", bin: "/cache/kube.building/bin" };
const sourceSteps = [
  "Find Debian's source packages",
  "Download the source of Kubernetes",
  "Unpack it",
  "Mend what a newer compiler breaks",
];
const compileSteps = [
  "Generate the OpenAPI definitions",
  "Compile kube-apiserver",
  "Compile kube-controller-manager",
  "Compile kube-scheduler",
  "Compile kubelet",
  "Compile kubectl",
];

function commandStep(title: string): CommandStep {
  const step = debianPlan(folders, [], []).find((each) => each.title === title);
  if (step?.kind !== "command") throw new Error(`There is no command "${title}" in the plan.`);
  return step;
}

it("installs what is missing, fetches the source, and compiles", () => {
  const titles = debianPlan(folders, ["rsync", "jq"], []).map(({ title }) => title);
  expect(titles).toEqual(["Install rsync, jq", ...sourceSteps, ...compileSteps, "Link etcd"]);
});

it("installs nothing when nothing is missing", () => {
  expect(debianPlan(folders, [], []).map(({ title }) => title)).toEqual([
    ...sourceSteps,
    ...compileSteps,
    "Link etcd",
  ]);
});

it("compiles with Debian's compiler and with nothing of the caller's environment", () => {
  const { command, args, env, cwd } = commandStep("Compile kubelet");
  expect(command).toBe("/usr/lib/go-1.19/bin/go");
  expect(args.slice(-3)).toEqual(["-o", "/cache/kube.building/bin/kubelet", "./cmd/kubelet"]);
  expect(cwd).toBe("/cache/kube.building/go/src/k8s.io/kubernetes");
  expect(env["PATH"]).toBe("/usr/lib/go-1.19/bin:/usr/sbin:/usr/bin:/sbin:/bin");
  expect(env).toMatchObject({ GOFLAGS: "", GOENV: "off", GO111MODULE: "off", CGO_ENABLED: "0" });
  expect(env).not.toHaveProperty("GOROOT");
  const paths = ["HOME", "TMPDIR", "GOPATH", "GOCACHE"].map((name) => env[name]);
  for (const path of paths) expect(path).toMatch(/^\/cache\/kube\.building/);
});

it("tells the programs their version", () => {
  const { args } = commandStep("Compile kube-apiserver");
  const flags = args[args.indexOf("-ldflags") + 1];
  expect(flags).toContain("-X k8s.io/kubernetes/vendor/k8s.io/component-base/version.gitVersion=v1.20.2");
  expect(flags).toContain("-X k8s.io/kubernetes/vendor/k8s.io/component-base/version.gitMinor=20");
});

it("asks apt for sources with the options it is given", () => {
  const plan = debianPlan(folders, [], ["--option", "Dir::Cache=/private"]);
  const aptSteps = plan.filter((step) => step.kind === "command" && step.command === "apt-get");
  expect(aptSteps).toHaveLength(2);
  for (const step of aptSteps)
    expect(step).toMatchObject({ args: expect.arrayContaining(["Dir::Cache=/private"]) });
});
