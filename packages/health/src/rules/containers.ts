import { countAt, isTrueAt, listAt, textAt, valueAt, type Facts } from "../facts/read-facts.ts";
import { degraded, progressing, type Verdict } from "../verdict.ts";
import { hasCrashed, howItEnded, judgeCrashLoop, type ContainerRole } from "./crashes.ts";

const imageReasons = new Set([
  "ImagePullBackOff",
  "ErrImagePull",
  "ErrImageNeverPull",
  "InvalidImageName",
  "ImageInspectError",
  "RegistryUnavailable",
  "SignatureValidationFailed",
]);

/** The verdict on the first container that is not as it should be; init containers run first and come first. */
export function judgeContainers(facts: Facts, now?: Date): Verdict | undefined {
  const ends = textAt(facts, "spec", "restartPolicy");
  const init = listAt(facts, "status", "initContainerStatuses").map((status) => ({ status, isInit: true }));
  const main = listAt(facts, "status", "containerStatuses").map((status) => ({ status, isInit: false }));
  const verdicts = [...init, ...main].map(({ status, isInit }) =>
    judgeContainer(status, { isInit, restartPolicy: ends }, now),
  );
  return (
    verdicts.find((found) => found?.health === "Degraded") ?? verdicts.find((found) => found !== undefined)
  );
}

function judgeContainer(status: unknown, role: ContainerRole, now: Date | undefined): Verdict | undefined {
  const name = `${role.isInit ? "Init container" : "Container"} ${textAt(status, "name") || "without a name"}`;
  const waiting = textAt(status, "state", "waiting", "reason");
  const message = textAt(status, "state", "waiting", "message");
  if (imageReasons.has(waiting)) {
    const image = textAt(status, "image");
    return degraded(waiting, `${name}: the image ${image} cannot be pulled${because(message)}`);
  }
  if (waiting === "CrashLoopBackOff") return judgeCrashLoop(status, name, role);
  if (/^Err|Error$|Failed$/u.test(waiting)) {
    return degraded(waiting, `${name} cannot be started${because(message)}`);
  }
  if (valueAt(status, "state", "terminated") !== undefined) return judgeTerminated(status, name, role);
  const isRunning = valueAt(status, "state", "running") !== undefined;
  if (isRunning && !isTrueAt(status, "ready") && hasCrashed(status, now)) {
    return judgeCrashLoop(status, name, role);
  }
  if (waiting !== "") return progressing(waiting, `${name} is waiting: ${message || waiting}`);
  return undefined;
}

const because = (message: string): string => (message === "" ? "" : `: ${message}`);

function judgeTerminated(status: unknown, name: string, role: ContainerRole): Verdict | undefined {
  const code = countAt(status, "state", "terminated", "exitCode");
  const isOver = role.isInit || role.restartPolicy !== "Always";
  if (code === 0 && isOver) return undefined;
  if (countAt(status, "restartCount") > 0 && role.restartPolicy !== "Never") {
    return judgeCrashLoop(status, name, role);
  }
  const cause = textAt(status, "state", "terminated", "reason");
  const message = `${name} ${howItEnded(status, "state")}`;
  if (code === 0) return progressing("ContainerCompleted", `${message}; it will be started again`);
  const reason = cause === "" || cause === "Error" ? "ContainerFailed" : cause;
  return role.restartPolicy === "OnFailure" ? progressing(reason, message) : degraded(reason, message);
}

/** The verdict on containers that run and are not ready, by the probe that says so. */
export function judgeProbes(facts: Facts): Verdict | undefined {
  const specs = listAt(facts, "spec", "containers");
  for (const status of listAt(facts, "status", "containerStatuses")) {
    const isRunning = valueAt(status, "state", "running") !== undefined;
    if (isTrueAt(status, "ready") || !isRunning) continue;
    const name = textAt(status, "name");
    const spec = specs.find((candidate) => textAt(candidate, "name") === name);
    const has = (probe: string): boolean => valueAt(spec, probe) !== undefined;
    const restarts = countAt(status, "restartCount");
    const after =
      restarts === 0
        ? ""
        : ` It has been restarted ${restarts} times and ${howItEnded(status, "lastState")}.`;
    if (valueAt(status, "started") === false && has("startupProbe")) {
      return progressing(
        "StartupProbeFailing",
        `Container ${name} runs, but its startup probe does not succeed yet.${after}`,
      );
    }
    if (has("readinessProbe")) {
      return progressing(
        "ReadinessProbeFailing",
        `Container ${name} runs, but its readiness probe does not succeed.${after}`,
      );
    }
    return progressing("ContainerNotReady", `Container ${name} runs and is not ready yet.${after}`);
  }
  return undefined;
}
