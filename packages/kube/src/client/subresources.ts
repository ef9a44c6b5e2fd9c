import type { Readable } from "node:stream";
import { BowlineError } from "@bowline/core";
import type { KubeObject, ResourceRef } from "../object.ts";
import type { RequestOptions } from "./client-options.ts";
import type { KubeClient } from "./kube-client.ts";
import { checkedTarget, resourcePath, type ObjectTarget } from "./resource-path.ts";
import { resources } from "./resources.ts";

export interface Scale extends KubeObject {
  spec: { replicas?: number };
  status?: { replicas: number; selector?: string };
}

/** How many replicas are wanted and how many there are, the same for every kind that scales. */
export function getScale(
  client: KubeClient,
  resource: ResourceRef,
  target: ObjectTarget & RequestOptions,
): Promise<Scale> {
  return client.get<Scale>(resource, { ...target, subresource: "scale" });
}

export function setScale(
  client: KubeClient,
  resource: ResourceRef,
  { replicas, ...target }: ObjectTarget & RequestOptions & { readonly replicas: number },
): Promise<Scale> {
  return client.patch<Scale>(
    resource,
    { spec: { replicas } },
    { ...target, type: "merge", subresource: "scale" },
  );
}

/**
 * Deletes a pod unless a PodDisruptionBudget forbids it just now, which is `TooManyRequests`. How long to wait for the
 * budget is the caller's decision: newer servers ask for ten seconds each time, and for ever if no controller looks at it.
 */
export async function evictPod(
  client: KubeClient,
  { gracePeriodSeconds, ...target }: ObjectTarget & RequestOptions & { readonly gracePeriodSeconds?: number },
): Promise<void> {
  const evict = (apiVersion: string): Promise<KubeObject> =>
    client.createSubresource(
      resources.pods,
      {
        apiVersion,
        kind: "Eviction",
        metadata: {
          name: target.name,
          ...(target.namespace === undefined ? {} : { namespace: target.namespace }),
        },
        ...(gracePeriodSeconds === undefined ? {} : { deleteOptions: { gracePeriodSeconds } }),
      },
      { ...target, subresource: "eviction", noRetry: true },
    );
  try {
    await evict("policy/v1");
  } catch (error) {
    // Servers before 1.22 know only v1beta1, those from 1.25 on only v1.
    if (!(error instanceof BowlineError) || error.code !== "BadRequest") throw error;
    await evict("policy/v1beta1");
  }
}

interface TokenRequestOptions extends ObjectTarget, RequestOptions {
  readonly audiences?: readonly string[];
  /** The server may give less, and never less than 10 minutes. */
  readonly expirationSeconds?: number;
}

interface ServiceAccountToken {
  readonly token: string;
  readonly expirationTimestamp: string;
}

interface TokenRequest extends KubeObject {
  status?: { token: string; expirationTimestamp: string };
}

/** A short-lived token of a ServiceAccount. */
export async function requestToken(
  client: KubeClient,
  options: TokenRequestOptions,
): Promise<ServiceAccountToken> {
  const { audiences, expirationSeconds, ...target } = options;
  const answer = await client.createSubresource<KubeObject, TokenRequest>(
    resources.serviceAccounts,
    {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      metadata: {},
      spec: { audiences: audiences ?? [], ...(expirationSeconds === undefined ? {} : { expirationSeconds }) },
    },
    { ...target, subresource: "token" },
  );
  if (answer.status === undefined) {
    throw new BowlineError(
      "ResponseInvalid",
      `The API server gave no token for serviceaccounts/${options.name}.`,
    );
  }
  return { token: answer.status.token, expirationTimestamp: answer.status.expirationTimestamp };
}

interface PodLogOptions extends ObjectTarget, RequestOptions {
  /** Needed when the pod has more than one container. */
  readonly container?: string;
  /** Stays open and sends what is written later. */
  readonly follow?: boolean;
  /** The container that ran before the last restart. */
  readonly previous?: boolean;
  readonly timestamps?: boolean;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly sinceSeconds?: number;
}

/** The log as the container wrote it. The caller reads it to its end or destroys it. */
export async function streamPodLog(client: KubeClient, options: PodLogOptions): Promise<Readable> {
  const { namespace: _namespace, name: _name, signal, ...query } = options;
  const target = checkedTarget(resources.pods, options);
  const response = await client.requestStream({
    method: "GET",
    path: resourcePath(resources.pods, { ...target, subresource: "log" }, query),
    longLived: options.follow === true,
    ...(signal === undefined ? {} : { signal }),
  });
  return response.body;
}
