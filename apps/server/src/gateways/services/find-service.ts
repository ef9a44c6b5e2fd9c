import { asRecord } from "@bowline/core";
import {
  resources,
  type DiscoveredApis,
  type KubeClient,
  type KubeObject,
  type ResourceRef,
} from "@bowline/kube";
import { instanceLabel } from "@bowline/workloads";

import { all, readable } from "../cluster-facts.ts";
import { madeForGateways } from "../entry.ts";
import { certificateApisIn, gatewayApisIn } from "../gateway-apis.ts";
import { listIn, textIn } from "../read-conditions.ts";
import { unlessMissing } from "../self-made-secrets.ts";
import { broughtBy, serviceName, type SupportService } from "./support-service.ts";

/** What is looked for in a cluster, and with whose rights. */
export interface ServiceQuestion {
  readonly client: KubeClient;
  readonly apis: DiscoveredApis;
  readonly signal: AbortSignal;
}

/** The end of the image's name: `registry.k8s.io/external-dns/external-dns:v0.19.0` and the like. */
const externalDns = { name: "external-dns", image: /(?:^|\/)external-dns(?:[:@].*)?$/u };
const certManager = { name: "cert-manager", image: /(?:^|\/)[a-z-]*cert-manager-controller(?:[:@].*)?$/u };

type KnownProgram = typeof externalDns;

/** A Deployment. */
export interface FoundDeployment {
  readonly namespace: string;
  readonly name: string;
}

/**
 * The external-dns of a cluster, in whatever namespace and whoever has put it there; false where there is none, and
 * undefined where that may not be looked at. `known` is the one that was found before: it is looked at first, because one
 * that has no label is only found by reading every Deployment.
 */
export async function findExternalDns(
  question: ServiceQuestion,
  known: FoundDeployment | undefined,
): Promise<FoundDeployment | false | undefined> {
  return findProgram(externalDns, question, known);
}

/**
 * Whether a cluster that has the API of cert-manager has somebody behind it. Definitions that one of ours has brought stay
 * when it goes; only then it counts what runs. What may not be looked at counts as there.
 */
export async function hasCertManager(question: ServiceQuestion): Promise<boolean> {
  const { client, signal } = question;
  const name = "certificates.cert-manager.io";
  const definition = await readable(
    unlessMissing(client.getMetadata(resources.customResourceDefinitions, { name, signal })),
  );
  if (definition?.metadata.annotations?.[broughtBy] === undefined) return true;
  return (await findProgram(certManager, question, undefined)) !== false;
}

async function findProgram(
  program: KnownProgram,
  { client, signal }: ServiceQuestion,
  known: FoundDeployment | undefined,
): Promise<FoundDeployment | false | undefined> {
  const runs = (deployment: KubeObject): boolean => runsImage(deployment, program.image);
  if (known !== undefined) {
    const before = await readable(unlessMissing(client.get(resources.deployments, { ...known, signal })));
    if (before !== undefined && runs(before)) return known;
  }
  const labelSelector = `app.kubernetes.io/name=${program.name}`;
  const labelled = await readable(
    client.listMetadata(resources.deployments, { labelSelector, limit: 1, signal }),
  );
  if (labelled === undefined) return undefined;
  const [first] = labelled.items;
  if (first !== undefined) return placeOf(first.metadata);
  const found = (await readable(all(client, resources.deployments, { signal })))?.find(runs);
  return found === undefined ? false : placeOf(found.metadata);
}

function placeOf({ namespace = "", name = "" }: KubeObject["metadata"]): FoundDeployment {
  return { namespace, name };
}

function runsImage({ spec }: KubeObject, image: RegExp): boolean {
  const pod = asRecord(asRecord(asRecord(spec)["template"])["spec"]);
  return listIn(pod, "containers").some((container) => image.test(textIn(container, "image")));
}

/**
 * Whether something in a cluster that Bowline has not made for Gateways would go down with a service of ours: Gateways of
 * its class, or Certificates, which go with their definition. What may not be looked at counts as such.
 */
export async function isUsedByOthers(
  service: SupportService,
  { client, apis, signal }: ServiceQuestion,
): Promise<boolean> {
  const resource = usedBy(service, apis);
  if (resource === undefined) return false;
  const found = await readable(all(client, resource, { signal }));
  if (found === undefined) return true;
  const own = serviceName(service);
  return found.some(({ metadata: { labels = {} }, spec }) => {
    if (labels[madeForGateways] !== undefined || labels[instanceLabel] === own) return false;
    return service.class === undefined || textIn(spec, "gatewayClassName") === service.class;
  });
}

function usedBy({ type }: SupportService, apis: DiscoveredApis): ResourceRef | undefined {
  if (type === "implementation") return gatewayApisIn(apis)?.gateway;
  return type === "cert-manager" ? certificateApisIn(apis)?.certificate : undefined;
}
