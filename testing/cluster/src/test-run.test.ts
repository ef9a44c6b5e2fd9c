import { expect, it } from "vitest";
import { floorRelease, newestRelease } from "./kube-release.ts";
import { planTestRun, readArguments } from "./test-run.ts";

it.each([
  { args: ["testing/contract"], env: {}, releaseName: undefined, rest: ["testing/contract"] },
  { args: ["--kubernetes", "1.20", "a", "-t", "b"], env: {}, releaseName: "1.20", rest: ["a", "-t", "b"] },
  { args: ["a", "--kubernetes=1.36", "-t", "b"], env: {}, releaseName: "1.36", rest: ["a", "-t", "b"] },
  { args: ["a"], env: { TEST_KUBERNETES: "1.20" }, releaseName: "1.20", rest: ["a"] },
  { args: ["--kubernetes=1.36"], env: { TEST_KUBERNETES: "1.20" }, releaseName: "1.36", rest: [] },
])("reads $args with $env", ({ args, env, releaseName, rest }) => {
  expect(readArguments(args, env)).toEqual({
    ...(releaseName === undefined ? {} : { releaseName }),
    vitestArguments: rest,
  });
});

it("wants a version after --kubernetes", () => {
  expect(() => readArguments(["--kubernetes"], {})).toThrow("--kubernetes wants a version");
});

const newest = { release: newestRelease, obstacle: undefined };
const floor = { release: floorRelease, obstacle: undefined };

it("runs everything on the newest release, and on the oldest what it must pass", () => {
  expect(planTestRun([newest, floor], undefined)).toEqual({
    projects: ["cluster", "cluster-alone", "cluster-floor"],
    env: { TEST_KUBERNETES: "1.36" },
    remarks: ["Every test runs on Kubernetes 1.36.4, the contract, RBAC and a walk on 1.20.2."],
  });
});

it("runs everything on the only release there is, and says why it is the only one", () => {
  const missing = { ...newest, obstacle: "there is no Go" };
  expect(planTestRun([missing, floor], undefined)).toEqual({
    projects: ["cluster", "cluster-alone"],
    env: { TEST_KUBERNETES: "1.20" },
    remarks: ["Kubernetes 1.36 is not here: there is no Go.", "Only Kubernetes 1.20.2 is tested."],
  });
});

it("runs everything on the release that was chosen", () => {
  expect(planTestRun([floor], undefined)).toEqual({
    projects: ["cluster", "cluster-alone"],
    env: { TEST_KUBERNETES: "1.20" },
    remarks: ["Only Kubernetes 1.20.2 is tested."],
  });
});

it("runs everything on what KUBEBUILDER_ASSETS names", () => {
  expect(planTestRun([], "/envtest")).toMatchObject({ projects: ["cluster", "cluster-alone"], env: {} });
});

it("says what to do when there is none", () => {
  const none = [newest, floor].map((status) => ({ ...status, obstacle: "of a reason" }));
  expect(() => planTestRun(none, undefined)).toThrow(
    /1\.36 is not here: of a reason(.|\n)*KUBEBUILDER_ASSETS/,
  );
});
