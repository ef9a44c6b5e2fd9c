import { resources } from "../client/resources.ts";
import { microTime, type KubeObject } from "../object.ts";

/** A `coordination.k8s.io/v1` Lease. */
export interface Lease extends KubeObject {
  spec?: LeaseSpec;
}

interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
  [field: string]: unknown;
}

export interface LeaseClaim {
  readonly identity: string;
  readonly leaseDurationMs: number;
  /** Wall clock: written for people. Nobody decides by it, as clocks differ between machines. */
  readonly now: number;
}

export function newLease(namespace: string, name: string, claim: LeaseClaim): Lease {
  const { group, version, kind } = resources.leases;
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { namespace, name },
    spec: claimedSpec({}, claim),
  };
}

/** The lease with this claim on it. What else it holds stays, its resourceVersion above all: it makes the write safe. */
export function claimedLease(lease: Lease, claim: LeaseClaim): Lease {
  return { ...lease, spec: claimedSpec(lease.spec ?? {}, claim) };
}

/** The lease as its holder leaves it on a clean stop, so that the next one need not wait. */
export function releasedLease(lease: Lease, now: number): Lease {
  const { holderIdentity: _holder, ...spec } = lease.spec ?? {};
  return { ...lease, spec: { ...spec, leaseDurationSeconds: 1, renewTime: microTime(now) } };
}

export function holderOf(lease: Lease): string | undefined {
  const holder = lease.spec?.holderIdentity;
  return holder === "" ? undefined : holder;
}

function claimedSpec(spec: LeaseSpec, { identity, leaseDurationMs, now }: LeaseClaim): LeaseSpec {
  const time = microTime(now);
  const changesHands = spec.holderIdentity !== identity;
  return {
    ...spec,
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
    renewTime: time,
    acquireTime: changesHands ? time : (spec.acquireTime ?? time),
    leaseTransitions: (spec.leaseTransitions ?? 0) + (changesHands && spec.renewTime !== undefined ? 1 : 0),
  };
}
