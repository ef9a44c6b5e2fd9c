import { describe, expect, test } from "vitest";

import { recognise, requireSuccess } from "./kind-failures.ts";
import { kindStep } from "./kind-steps.ts";

const failed = "ERROR: failed to create cluster:";
const noDaemon =
  "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?";

describe("what kind and engines say is told in words", () => {
  test.each([
    [
      `${failed} failed to get docker info: command "docker info" failed with error: exit status 1\n\nCommand Output: ${noDaemon}`,
      "EngineMissing",
    ],
    [
      `${failed} failed to get podman info: command "podman info --format json" failed with error: exec: "podman": executable file not found in $PATH`,
      "EngineMissing",
    ],
    ["Cannot connect to Podman. Please verify your connection to the Linux system", "EngineMissing"],
    [
      'time="…" level=fatal msg="cannot access containerd socket \\"/run/containerd/containerd.sock\\""',
      "EngineMissing",
    ],
    [
      "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock",
      "NotPermitted",
    ],
    [
      `${failed} failed to pull image "kindest/node:v1.99.0": command "docker pull kindest/node:v1.99.0" failed with error: exit status 1`,
      "ImagePullFailed",
    ],
    [
      "docker: Error response from daemon: Bind for 0.0.0.0:8080 failed: port is already allocated",
      "PortTaken",
    ],
    ["Error: rootlessport listen tcp 0.0.0.0:8080: bind: address already in use", "PortTaken"],
    [
      `${failed} could not find a log line that matches "Reached target .*Multi-User System.*|detected cgroup v1"`,
      "LimitTooLow",
    ],
    ["Failed to create inotify object: Too many open files", "LimitTooLow"],
    [
      `${failed} running kind with rootless provider requires cgroup v2, see https://kind.sigs.k8s.io/docs/user/rootless/`,
      "CgroupsTooOld",
    ],
    ["kubelet is configured to not run on a host using cgroup v1", "CgroupsTooOld"],
    [
      `${failed} running kind with rootless provider requires setting systemd property "Delegate=yes"`,
      "CgroupsNotDelegated",
    ],
    ["write /var/lib/docker/tmp: no space left on device", "DiskFull"],
    [`${failed} node(s) already exist for a cluster with the name "x"`, "NameTaken"],
    [`${failed} failed to init node with kubeadm: command "docker exec" failed`, "ProviderProgramFailed"],
    [`${failed} something new`, "ProviderProgramFailed"],
    ["", "ProviderProgramFailed"],
  ])("%s", (output, reason) => {
    expect(recognise(output).reason).toBe(reason);
  });

  test("with the line that says so, on one line and of bounded length, and without secrets", () => {
    const { message } = recognise(`noise\n${failed} a\u001b[31m b ${"x".repeat(10_000)}\nnoise`);
    expect(message).toMatch(
      /^kind could not make the cluster\. It said: ERROR: failed to create cluster: a \[31m b x+…$/,
    );
    expect(message.length).toBeLessThan(500);
    expect(recognise(`${failed} Authorization: Bearer abcdefghijklmnop`).message).not.toContain(
      "abcdefghijklmnop",
    );
  });

  test("a warning about old control groups is none of a failure for another reason", () => {
    const warned = "cgroup v1 is deprecated in Kubernetes and will not be supported in a future kind release";
    expect(recognise(`${warned}\n${failed} failed to pull image "x"`).reason).toBe("ImagePullFailed");
  });

  test("a command that failed is named where nobody knows why", () => {
    const run = (): string => requireSuccess("docker ps", { code: 1, stdout: "", stderr: "odd thing" });
    expect(run).toThrow("`docker ps` failed. It said: odd thing");
  });
});

test("the step is the last part that kind has begun", () => {
  expect(kindStep("")).toMatchObject({ number: 1, of: 7 });
  const log = " ✓ Ensuring node image (kindest/node:v1.37.0) 🖼\n • Preparing nodes 📦 📦   ...\n";
  expect(kindStep(log)).toMatchObject({ number: 2, text: "Starting the containers of the nodes" });
  expect(kindStep(`${log} ✓ Preparing nodes\n • Joining worker nodes 🚜  ...\n`).number).toBe(7);
});
