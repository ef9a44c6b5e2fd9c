import { zonesOf } from "./zones.ts";
import { unless } from "./cluster-step.ts";
import { addressKind, internetGatewayKind, natGatewayKind, subnetKind, vpcKind } from "./ec2-kinds.ts";
import { ec2Step, newTags } from "./ec2-step.ts";
import { attributeOf, idOf, lacking, type EksRound, type EksStep } from "./eks-round.ts";
import { subnetCidr } from "./subnet-cidr.ts";
import { ownedTagOf } from "./names.ts";
import { gatewayCount } from "./own-network.ts";

export function vpcStep(round: EksRound): EksStep {
  const { aws } = round;
  return ec2Step(round, vpcKind, {
    step: "vpc",
    text: "Create the VPC",
    expectedSeconds: 5,
    needs: [],
    isFoundation: true,
    found: async ([found]) => {
      const id = found?.VpcId;
      if (id === undefined) return undefined;
      const hostnames = { VpcId: id, Attribute: "enableDnsHostnames" } as const;
      const { EnableDnsHostnames } = await aws.send("ec2:DescribeVpcAttribute", hostnames);
      return {
        id,
        ...begunAs(round, found?.OwnerId, EnableDnsHostnames?.Value === true ? [] : ["DNS names"]),
      };
    },
    create: async (record) => {
      const CidrBlock = round.settings.network?.cidr ?? "10.0.0.0/16";
      const { Vpc } = await aws.send("ec2:CreateVpc", { CidrBlock, ...newTags(round, record, "vpc") });
      return { id: Vpc?.VpcId ?? "", ...begunAs(round, Vpc?.OwnerId, ["DNS names"]) };
    },
    complete: async ({ id }) => {
      await aws.send("ec2:ModifyVpcAttribute", { VpcId: id, EnableDnsHostnames: { Value: true } });
    },
    remove: async ({ id }) => {
      await aws.send("ec2:DeleteVpc", { VpcId: id });
    },
  });
}

/** The first thing of a cluster that is made, and the last that goes: it says in which account that was, and how it was begun. */
function begunAs(
  round: EksRound,
  account: string | undefined,
  lacks: readonly string[],
): ReturnType<typeof lacking> {
  const state = lacking(lacks);
  const begun = { gateways: gatewayCount(round), ...(account === undefined ? {} : { account }) };
  return { ...state, attributes: { ...state.attributes, ...begun } };
}

export function internetGatewayStep(round: EksRound): EksStep {
  const { aws } = round;
  return ec2Step(round, internetGatewayKind, {
    step: "internet-gateway",
    text: "Create the internet gateway",
    expectedSeconds: 5,
    needs: ["vpc"],
    found: async ([found]) => {
      if (found?.InternetGatewayId === undefined) return undefined;
      const isAttached = (found.Attachments ?? []).length > 0;
      return { id: found.InternetGatewayId, ...lacking(isAttached ? [] : ["attachment"]) };
    },
    create: async (record) => {
      const tags = newTags(round, record, "internet-gateway");
      const { InternetGateway } = await aws.send("ec2:CreateInternetGateway", tags);
      return { id: InternetGateway?.InternetGatewayId ?? "", ...lacking(["attachment"]) };
    },
    complete: async ({ id }) => {
      const VpcId = idOf(round, "vpc");
      await aws
        .send("ec2:AttachInternetGateway", { InternetGatewayId: id, VpcId })
        .catch(unless("Resource.AlreadyAssociated"));
    },
    remove: async ({ id }) => {
      const VpcId = round.records.get("vpc")?.id;
      await aws
        .send("ec2:DetachInternetGateway", { InternetGatewayId: id, VpcId })
        .catch(unless("Gateway.NotAttached", "InvalidVpcID.NotFound"));
      await aws.send("ec2:DeleteInternetGateway", { InternetGatewayId: id });
    },
  });
}

/** `public-1` to `private-2`; the public ones have gateways and load balancers, the private ones the nodes. */
export function subnetStep(round: EksRound, kind: "public" | "private", number: number): EksStep {
  const { aws, settings } = round;
  const step = `subnet-${kind}-${number}`;
  const role = kind === "public" ? "kubernetes.io/role/elb" : "kubernetes.io/role/internal-elb";
  return ec2Step(round, subnetKind, {
    step,
    text: `Create the ${kind} subnet ${number}`,
    expectedSeconds: 5,
    needs: ["vpc"],
    isFoundation: true,
    found: async ([found]) => {
      if (found?.SubnetId === undefined) return undefined;
      return {
        id: found.SubnetId,
        isReady: found.State === "available",
        attributes: { zone: found.AvailabilityZone },
      };
    },
    create: async (record) => {
      const zone = await zoneFor(round, kind, number);
      const { Subnet } = await aws.send("ec2:CreateSubnet", {
        VpcId: idOf(round, "vpc"),
        AvailabilityZone: zone,
        CidrBlock: subnetCidr(settings.network?.cidr ?? "10.0.0.0/16", kind, number),
        ...newTags(round, record, "subnet", { [role]: "1", [ownedTagOf(round.name)]: "owned" }),
      });
      return {
        id: Subnet?.SubnetId ?? "",
        isReady: Subnet?.State === "available",
        attributes: { zone },
      };
    },
    remove: async ({ id }) => {
      await aws.send("ec2:DeleteSubnet", { SubnetId: id });
    },
  });
}

/** Both subnets of a number are in one zone, also when AWS offers other zones by then. */
async function zoneFor(round: EksRound, kind: "public" | "private", number: number): Promise<string> {
  const other = kind === "public" ? "private" : "public";
  const known = attributeOf(round, `subnet-${other}-${number}`, "zone");
  const zones = await zonesOf(round);
  return known ?? zones[number - 1] ?? "";
}

export function addressStep(round: EksRound, number: number): EksStep {
  const { aws } = round;
  return ec2Step(round, addressKind, {
    step: `address-${number}`,
    text: `Allocate the address ${number}`,
    expectedSeconds: 5,
    needs: ["internet-gateway"],
    found: async ([found]) => {
      const id = found?.AllocationId;
      return id === undefined ? undefined : { id, isReady: true };
    },
    create: async (record) => {
      const tags = newTags(round, record, "elastic-ip");
      const { AllocationId = "" } = await aws.send("ec2:AllocateAddress", { Domain: "vpc", ...tags });
      return { id: AllocationId, isReady: true };
    },
    remove: async ({ id }) => {
      await aws.send("ec2:ReleaseAddress", { AllocationId: id });
    },
  });
}

export function natGatewayStep(round: EksRound, number: number): EksStep {
  const { aws } = round;
  return ec2Step(round, natGatewayKind, {
    step: `nat-gateway-${number}`,
    text: `Create the NAT gateway ${number}`,
    expectedSeconds: 120,
    needs: [`address-${number}`, `subnet-public-${number}`, "internet-gateway"],
    isWatched: true,
    found: async (gateways) => {
      // One that was deleted is seen for an hour.
      const there = gateways.filter(({ State }) => State !== "deleted");
      const found = there.find(({ State }) => State !== "failed") ?? there[0];
      if (found?.NatGatewayId === undefined) return undefined;
      const { State, FailureCode = "Unknown", FailureMessage = "AWS does not say why." } = found;
      return {
        id: found.NatGatewayId,
        isReady: State === "available",
        attributes: State === "failed" ? { problem: `${FailureCode}: ${FailureMessage}` } : {},
      };
    },
    create: async (record) => {
      const { NatGateway } = await aws.send("ec2:CreateNatGateway", {
        SubnetId: idOf(round, `subnet-public-${number}`),
        AllocationId: idOf(round, `address-${number}`),
        ClientToken: record.token,
        ...newTags(round, record, "natgateway"),
      });
      return { id: NatGateway?.NatGatewayId ?? "", isReady: false };
    },
    remove: async ({ id }) => {
      await aws.send("ec2:DeleteNatGateway", { NatGatewayId: id });
    },
  });
}
