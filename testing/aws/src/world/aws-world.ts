import { randomBytes } from "node:crypto";

import { TokenBucket, type Clock } from "@bowline/core";

import { Shelf, type ShelfSettings, type Tags, type Thing } from "./shelf.ts";
import type {
  AccessEntry,
  Address,
  EksCluster,
  EksUpdate,
  HostedZone,
  InternetGateway,
  NatGateway,
  NetworkInterface,
  Nodegroup,
  Policy,
  Role,
  RouteTable,
  SecurityGroup,
  Subnet,
  Volume,
  Vpc,
} from "./things.ts";

/** How many there may be, and how long AWS takes; tests change them. */
export interface WorldSettings {
  quotas: { vpcs: number; subnetsPerVpc: number; addresses: number; natGateways: number; clusters: number };
  times: {
    natGatewayMs: number;
    natGatewayGoneMs: number;
    clusterMs: number;
    clusterGoneMs: number;
    clusterUpdateMs: number;
    nodegroupMs: number;
    nodegroupGoneMs: number;
  };
  zones: readonly string[];
  /** Zones that do not have a type of instance. */
  missingOfferings: Readonly<Record<string, readonly string[]>>;
  versions: readonly string[];
  /** The next one of these fails with this. */
  clusterFailure: HealthIssue | undefined;
  nodegroupFailure: HealthIssue | undefined;
  natGatewayFailure: HealthIssue | undefined;
  updateFailure: HealthIssue | undefined;
  /** Calls of Route 53 in a second, for all of the account. */
  route53PerSecond: number;
  /** Where the API server of a cluster answers, and its authority. */
  endpoint: (cluster: string) => { readonly url: string; readonly caCert: string };
}

export interface HealthIssue {
  readonly code: string;
  readonly message: string;
}

const minuteMs = 60_000;

function defaultSettings(region: string): WorldSettings {
  return {
    quotas: { vpcs: 5, subnetsPerVpc: 200, addresses: 5, natGateways: 5, clusters: 100 },
    times: {
      natGatewayMs: 1.5 * minuteMs,
      natGatewayGoneMs: minuteMs,
      clusterMs: 9 * minuteMs,
      clusterGoneMs: 3 * minuteMs,
      clusterUpdateMs: 8 * minuteMs,
      nodegroupMs: 3 * minuteMs,
      nodegroupGoneMs: 4 * minuteMs,
    },
    zones: ["a", "b", "c"].map((letter) => `${region}${letter}`),
    missingOfferings: {},
    versions: ["1.34", "1.33", "1.32", "1.31"],
    clusterFailure: undefined,
    nodegroupFailure: undefined,
    natGatewayFailure: undefined,
    updateFailure: undefined,
    route53PerSecond: 5,
    endpoint: (cluster) => ({ url: `https://${cluster}.eks.example.test`, caCert: "a certificate" }),
  };
}

/** All that exists in one account, in one region. */
export class AwsWorld implements ShelfSettings {
  readonly accountId: string;
  readonly region: string;
  readonly partition: string;
  readonly clock: Clock;
  readonly settings: WorldSettings;
  lagMs = 0;
  #route53Rate: { readonly perSecond: number; readonly bucket: TokenBucket } | undefined;

  readonly vpcs = new Shelf<Vpc>(this, { code: "InvalidVpcID.NotFound" });
  readonly subnets = new Shelf<Subnet>(this, { code: "InvalidSubnetID.NotFound" });
  readonly internetGateways = new Shelf<InternetGateway>(this, { code: "InvalidInternetGatewayID.NotFound" });
  readonly addresses = new Shelf<Address>(this, { code: "InvalidAllocationID.NotFound" });
  readonly natGateways = new Shelf<NatGateway>(this, { code: "NatGatewayNotFound" });
  readonly routeTables = new Shelf<RouteTable>(this, { code: "InvalidRouteTableID.NotFound" });
  readonly interfaces = new Shelf<NetworkInterface>(this, { code: "InvalidNetworkInterfaceID.NotFound" });
  readonly securityGroups = new Shelf<SecurityGroup>(this, { code: "InvalidGroup.NotFound" });
  readonly volumes = new Shelf<Volume>(this, { code: "InvalidVolume.NotFound" });
  readonly roles = new Shelf<Role>(this, { code: "NoSuchEntity", status: 404 });
  readonly policies = new Shelf<Policy>(this, { code: "NoSuchEntity", status: 404 });
  readonly clusters = new Shelf<EksCluster>(this, { code: "ResourceNotFoundException", status: 404 });
  /** By cluster and name, with a `/` between. */
  readonly nodegroups = new Shelf<Nodegroup>(this, { code: "ResourceNotFoundException", status: 404 });
  /** By cluster and principal, with a `/` between. */
  readonly accessEntries = new Shelf<AccessEntry>(this, { code: "ResourceNotFoundException", status: 404 });

  /** Of control planes and of groups. */
  readonly updates = new Shelf<EksUpdate>(this, { code: "ResourceNotFoundException", status: 404 });

  readonly hostedZones = new Shelf<HostedZone>(this, { code: "NoSuchHostedZone", status: 404 });

  constructor(clock: Clock, region: string, accountId: string) {
    this.clock = clock;
    this.accountId = accountId;
    this.region = region;
    this.partition = region.startsWith("cn-")
      ? "aws-cn"
      : region.startsWith("us-gov-")
        ? "aws-us-gov"
        : "aws";
    this.settings = defaultSettings(region);
  }

  /** Whether Route 53 takes one more call of the account now. */
  takeRoute53Call(): boolean {
    const { route53PerSecond: perSecond } = this.settings;
    if (this.#route53Rate?.perSecond !== perSecond) {
      this.#route53Rate = { perSecond, bucket: new TokenBucket({ perSecond, burst: perSecond }) };
    }
    return this.#route53Rate.bucket.take(this.clock.monotonicMs()) === 0;
  }

  newId(prefix: string): string {
    return `${prefix}-${randomBytes(9).toString("hex").slice(0, 17)}`;
  }

  arn(service: string, resource: string): string {
    const region = service === "iam" || service === "sts" ? "" : this.region;
    return `arn:${this.partition}:${service}:${region}:${this.accountId}:${resource}`;
  }

  /** What is the same for all things, for one with this id. */
  thing(id: string, arn: string, tags: Tags = {}): Thing {
    return { id, arn, tags, madeAtMs: this.clock.now() };
  }

  /** Everything of EC2 that has tags of its own. */
  get taggedThings(): { readonly type: string; readonly things: readonly Thing[] }[] {
    return [
      { type: "vpc", things: this.vpcs.listed },
      { type: "subnet", things: this.subnets.listed },
      { type: "internet-gateway", things: this.internetGateways.listed },
      { type: "elastic-ip", things: this.addresses.listed },
      { type: "natgateway", things: this.natGateways.listed },
      { type: "route-table", things: this.routeTables.listed },
      { type: "network-interface", things: this.interfaces.listed },
      { type: "security-group", things: this.securityGroups.listed },
      { type: "volume", things: this.volumes.listed },
    ];
  }
}
