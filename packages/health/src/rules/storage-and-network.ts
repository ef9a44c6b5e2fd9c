import { conditionOf, explanation, listAt, textAt, type Facts } from "../facts/read-facts.ts";
import { degraded, healthy, progressing, verdict, type Verdict } from "../verdict.ts";

export function judgeVolumeClaim(facts: Facts): Verdict {
  const phase = textAt(facts, "status", "phase");
  if (phase === "Bound") {
    const resize = conditionOf(facts, "ControllerResizeError") ?? conditionOf(facts, "NodeResizeError");
    if (resize?.status === "True") {
      return degraded(resize.type, `The volume cannot be resized: ${explanation(resize)}`);
    }
    return healthy("Bound", "The claim has its volume.");
  }
  if (phase === "Lost") return degraded("VolumeLost", "The volume of the claim does not exist any more.");
  const name = textAt(facts, "spec", "volumeName");
  return progressing(
    "Pending",
    name === "" ? "The claim waits for a volume." : `The claim waits for volume ${name}.`,
  );
}

export function judgeVolume(facts: Facts): Verdict {
  const phase = textAt(facts, "status", "phase");
  if (phase === "Failed") {
    return degraded(
      textAt(facts, "status", "reason") || "VolumeFailed",
      `The volume could not be reclaimed: ${textAt(facts, "status", "message")}`,
    );
  }
  if (phase === "" || phase === "Pending") return progressing("Pending", "The volume is not available yet.");
  return healthy(phase, `The volume is ${phase.toLowerCase()}.`);
}

export function judgeService(facts: Facts): Verdict {
  const type = textAt(facts, "spec", "type");
  const hasAddress =
    listAt(facts, "status", "loadBalancer", "ingress").length > 0 ||
    listAt(facts, "spec", "externalIPs").length > 0;
  if (type === "LoadBalancer" && !hasAddress) {
    return progressing("LoadBalancerPending", "The load balancer has no address yet.");
  }
  return healthy(
    "Available",
    type === "LoadBalancer" ? "The load balancer has an address." : "The service is there.",
  );
}

export function judgeIngress(facts: Facts): Verdict {
  if (listAt(facts, "status", "loadBalancer", "ingress").length > 0) {
    return healthy("AddressAssigned", "The ingress has an address.");
  }
  return progressing("AddressPending", "No ingress controller has given the ingress an address yet.");
}

/** An autoscaler says in conditions whether it can read metrics and scale; limits it has reached are no fault. */
export function judgeAutoscaler(facts: Facts): Verdict {
  const [able, active] = [conditionOf(facts, "AbleToScale"), conditionOf(facts, "ScalingActive")];
  for (const condition of [able, active]) {
    if (condition?.status === "False" && /^(?:Failed|Invalid)/u.test(condition.reason)) {
      return degraded(condition.reason, `The autoscaler cannot work: ${explanation(condition)}`);
    }
  }
  if (active?.reason === "ScalingDisabled") {
    return verdict("Suspended", "ScalingDisabled", "Its target is scaled to zero, so the autoscaler rests.");
  }
  if (able === undefined || active === undefined) {
    return progressing("NotObserved", "The autoscaler has not looked at its target yet.");
  }
  if (active.status !== "True") return progressing(active.reason || "NotActive", explanation(active));
  const limited = conditionOf(facts, "ScalingLimited");
  if (limited?.status === "True") return healthy(limited.reason || "ScalingLimited", explanation(limited));
  return healthy("ScalingActive", explanation(able));
}
