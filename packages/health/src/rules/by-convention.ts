import { isRecord } from "@bowline/core";

import {
  countAt,
  groupOf,
  isTrueAt,
  isUnobserved,
  numberAt,
  textAt,
  valueAt,
  type Facts,
} from "../facts/read-facts.ts";
import { healthy, progressing, suspended, type Verdict } from "../verdict.ts";
import { conditionSigns } from "./conditions.ts";
import { notObserved } from "./pod-owners.ts";
import { weigh } from "./sign.ts";
import { replicaSigns, runsToAnEnd, stateSigns } from "./states.ts";

/**
 * Kinds whose controllers always report, and the condition that they report by, where all of them have the same. An
 * object without it has not been looked at yet. Of other kinds nobody can know: many are configuration, and never have
 * a status.
 */
const promises: readonly (readonly [id: RegExp, condition: string | undefined])[] = [
  [/^cert-manager\.io\//u, "Ready"],
  [/^acme\.cert-manager\.io\//u, undefined],
  [/^(?:source|kustomize|helm)\.toolkit\.fluxcd\.io\//u, "Ready"],
  [/^(?:serving|eventing|messaging)\.knative\.dev\//u, "Ready"],
  [/^keda\.sh\/Scaled/u, "Ready"],
  [/^external-secrets\.io\//u, "Ready"],
  [/^kafka\.strimzi\.io\//u, undefined],
  [/^k8s\.mariadb\.com\/(?:MariaDB|MaxScale|Database|User|Grant|Connection)$/u, "Ready"],
  [/^promoter\.argoproj\.io\//u, "Ready"],
  [/^argoproj\.io\//u, undefined],
  [/^(?:apps|game)\.kruise\.io\//u, undefined],
  [/^(?:gateway|gloo)\.solo\.io\//u, undefined],
  [/^(?:[a-z]+\.)?cluster\.x-k8s\.io\//u, undefined],
  [/^postgresql\.cnpg\.io\/(?:Cluster|Pooler|Backup|Database)$/u, undefined],
  [/^(?:[a-z0-9.-]+\.)?(?:crossplane|upbound)\.io\//u, undefined],
  [/\.cnrm\.cloud\.google\.com\//u, undefined],
  [/\.services\.k8s\.aws\//u, undefined],
];

/** Kinds that are configuration, by how they end: nobody reports on them. */
const silentKinds = /(?:Template|Class|Project|Config|Usage|Composition|Identity)$/u;

/** Judges an object of any kind by what objects of Kubernetes have in common. */
export function judgeByConvention(facts: Facts): Verdict {
  const atRest = judgeRest(facts);
  if (atRest !== undefined) return atRest;
  if (isUnobserved(facts)) return notObserved;
  const { signs, isSummed, types } = conditionSigns(facts);
  const { top, nested, errors } = stateSigns(facts);
  const details = isSummed ? [] : [...replicaSigns(facts), ...errors];
  const isTold = signs.length + top.length > 0;
  // Parts may be in any state while the whole is well; only what they say of faults counts beside it.
  const fromParts = nested.filter(({ verdict }) => !isTold || (!isSummed && verdict.health === "Degraded"));
  const found = weigh([...signs, ...top, ...details, ...fromParts]);
  if (found !== undefined && found.health !== "Healthy") return found;
  return (
    judgeSilence(facts, types) ??
    found ??
    healthy("NothingWrong", "Nothing in its status tells of a problem.")
  );
}

function judgeRest(facts: Facts): Verdict | undefined {
  const field = ["suspend", "suspended", "paused", "pause", "disabled"].find((name) =>
    isTrueAt(facts, "spec", name),
  );
  if (field !== undefined) return suspended("Suspended", `It is put to rest by spec.${field}.`);
  if (isTrueAt(facts, "spec", "unschedulable")) {
    return suspended("Cordoned", "It takes no new pods, because spec.unschedulable is true.");
  }
  if (isTrueAt(facts, "spec", "hibernation", "enabled")) {
    return suspended("Hibernated", "It is put to rest by spec.hibernation.");
  }
  return undefined;
}

/** The verdict on an object about which its controller has not said what it should. */
function judgeSilence(facts: Facts, types: ReadonlySet<string>): Verdict | undefined {
  const status = facts["status"];
  const kind = textAt(facts, "kind");
  const isSilent = silentKinds.test(kind);
  const promise = isSilent ? undefined : promises.find(([id]) => id.test(`${groupOf(facts)}/${kind}`));
  if (!isRecord(status)) {
    if (promise !== undefined || countAt(facts, "spec", "replicas") > 0 || runsToAnEnd(kind)) {
      return progressing("NoStatus", "Its controller has not reported yet.");
    }
    return healthy("NoStatus", "It is there, and has no status.");
  }
  const awaited = promise?.[1];
  if (awaited !== undefined && !types.has(awaited)) {
    return progressing("NotReported", `Its controller has not written the condition ${awaited} yet.`);
  }
  const reports = ["conditions", "parents", "ancestors"].map((name) => valueAt(status, name));
  const isEmpty =
    numberAt(facts, "statusFields") === 0 ||
    (types.size === 0 && reports.some((list) => Array.isArray(list) && list.length === 0));
  if (isEmpty && !isSilent) {
    return progressing("NotReported", "Its controller has not reported yet.");
  }
  return undefined;
}
