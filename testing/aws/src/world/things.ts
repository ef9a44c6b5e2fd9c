import type { HealthIssue } from "./aws-world.ts";
import type { Thing } from "./shelf.ts";

export interface Vpc extends Thing {
  readonly cidr: string;
  attributes: { enableDnsSupport: boolean; enableDnsHostnames: boolean };
}

export interface Subnet extends Thing {
  readonly vpcId: string;
  readonly cidr: string;
  readonly zone: string;
}

export interface InternetGateway extends Thing {
  vpcId: string | undefined;
}

export interface Address extends Thing {
  readonly publicIp: string;
}

export interface NatGateway extends Thing {
  readonly vpcId: string;
  readonly subnetId: string;
  readonly allocationId: string;
  readonly clientToken: string | undefined;
  readonly readyAtMs: number;
  readonly failure: HealthIssue | undefined;
  /** It is seen as deleted for an hour after that. */
  deletedAtMs?: number;
}

export interface RouteTable extends Thing {
  readonly vpcId: string;
  readonly clientToken: string | undefined;
  routes: { readonly destination: string; readonly target: string }[];
  associations: { readonly id: string; readonly subnetId: string }[];
}

export interface NetworkInterface extends Thing {
  readonly vpcId: string;
  readonly subnetId: string;
  readonly description: string;
  readonly interfaceType: string;
  readonly groupIds: readonly string[];
  status: "available" | "in-use";
  /** An instance, or the account of the service that has it. */
  readonly attachedTo?: { readonly instanceId: string } | { readonly instanceOwnerId: string };
}

export interface SecurityGroup extends Thing {
  readonly vpcId: string;
  readonly name: string;
  /** Groups that its rules name. */
  refersTo?: readonly string[];
}

export interface Volume extends Thing {
  state: "available" | "in-use";
}

export interface Role extends Thing {
  readonly trust: string;
  readonly permissionsBoundary: string | undefined;
  readonly policies: Set<string>;
}

export interface Policy extends Thing {
  readonly name: string;
}

/** A change of a control plane, or of a group of nodes. */
export interface EksUpdate extends Thing {
  readonly cluster: string;
  readonly nodegroup: string | undefined;
  readonly type: "VersionUpdate" | "ConfigUpdate";
  /** The same update is the answer to the same token. */
  readonly clientToken: string | undefined;
  readonly version: string | undefined;
  readonly endsAtMs: number;
  readonly failure: HealthIssue | undefined;
}

export interface EksCluster extends Thing {
  version: string;
  readonly roleArn: string;
  readonly vpcId: string;
  readonly subnetIds: readonly string[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly clientToken: string | undefined;
  readonly readyAtMs: number;
  readonly failure: HealthIssue | undefined;
  update?: EksUpdate;
}

export interface NodegroupScaling {
  readonly minSize: number;
  readonly maxSize: number;
  readonly desiredSize: number;
}

export interface Nodegroup extends Thing {
  readonly cluster: string;
  readonly name: string;
  version: string;
  readonly clientToken: string | undefined;
  readonly readyAtMs: number;
  readonly failure: HealthIssue | undefined;
  scaling: NodegroupScaling;
  labels: Readonly<Record<string, string>>;
  taints: readonly Readonly<Record<string, string>>[];
  readonly settings: Readonly<Record<string, unknown>>;
  /** A degradation, as long as it is set. */
  issue?: HealthIssue;
  update?: EksUpdate;
}

export interface AccessEntry extends Thing {
  readonly cluster: string;
  readonly principalArn: string;
  readonly policies: Set<string>;
}

/** A zone of Route 53. */
export interface HostedZone extends Thing {
  /** With a dot at its end. */
  readonly name: string;
  readonly isPrivate: boolean;
  /** By name, type and set identifier. */
  records: ReadonlyMap<string, RecordSetThing>;
}

/** Records of a zone of Route 53; names end with a dot. */
export interface RecordSetThing {
  readonly name: string;
  readonly type: string;
  readonly setIdentifier?: string;
  readonly weight?: number;
  readonly region?: string;
  readonly ttl?: number;
  readonly values: readonly string[];
  readonly aliasOf?: string;
}
