import { AwsFailure } from "../aws-failure.ts";
import type { XmlValue } from "../http/xml.ts";
import type { Subnet, Vpc } from "../world/things.ts";
import {
  allowOn,
  dependencyViolation,
  endDryRun,
  filtered,
  newThing,
  tagSet,
  type Ec2Actions,
} from "./ec2-action.ts";

export const networkActions: Ec2Actions = {
  CreateVpc: (params, call) => {
    const { vpcs, settings } = call.world;
    const thing = newThing(params, call, { action: "CreateVpc", type: "vpc", idPrefix: "vpc" });
    endDryRun(params);
    if (vpcs.all.length >= settings.quotas.vpcs) {
      throw new AwsFailure("VpcLimitExceeded", "The maximum number of VPCs has been reached.");
    }
    const attributes = { enableDnsSupport: true, enableDnsHostnames: false };
    return { vpc: vpcView(vpcs.add({ ...thing, cidr: params.text("CidrBlock"), attributes })) };
  },

  DescribeVpcs: (params, { world }) => ({
    vpcSet: filtered(params, world.vpcs.listed, ({ id }) => ({ "vpc-id": [id] })).map(vpcView),
  }),

  DescribeVpcAttribute: (params, { world }) => {
    const { id, attributes } = world.vpcs.get(params.text("VpcId"));
    const name = params.text("Attribute");
    const value = attributes[name === "enableDnsHostnames" ? "enableDnsHostnames" : "enableDnsSupport"];
    return { vpcId: id, [name]: { value } };
  },

  ModifyVpcAttribute: (params, call) => {
    const vpc = call.world.vpcs.get(params.text("VpcId"));
    allowOn(call, "ModifyVpcAttribute", vpc);
    const hostnames = params.optional("EnableDnsHostnames.Value");
    const support = params.optional("EnableDnsSupport.Value");
    if (hostnames !== undefined) vpc.attributes.enableDnsHostnames = hostnames === "true";
    if (support !== undefined) vpc.attributes.enableDnsSupport = support === "true";
    return { return: true };
  },

  DeleteVpc: (params, call) => {
    const { world } = call;
    const vpc = world.vpcs.get(params.text("VpcId"));
    allowOn(call, "DeleteVpc", vpc);
    const inUse = [
      ...world.subnets.all,
      ...world.internetGateways.all,
      ...world.routeTables.all,
      ...world.securityGroups.all,
    ].some(({ vpcId }) => vpcId === vpc.id);
    if (inUse) throw dependencyViolation(vpc.id);
    world.vpcs.remove(vpc.id);
    return { return: true };
  },

  CreateSubnet: (params, call) => {
    const { subnets, vpcs, settings } = call.world;
    const thing = newThing(params, call, { action: "CreateSubnet", type: "subnet", idPrefix: "subnet" });
    const vpc = vpcs.get(params.text("VpcId"));
    allowOn(call, "CreateSubnet", vpc);
    endDryRun(params);
    const others = subnets.all.filter(({ vpcId }) => vpcId === vpc.id);
    if (others.length >= settings.quotas.subnetsPerVpc) {
      throw new AwsFailure("SubnetLimitExceeded", "The maximum number of subnets has been reached.");
    }
    const cidr = params.text("CidrBlock");
    if (others.some((other) => other.cidr === cidr)) {
      throw new AwsFailure("InvalidSubnet.Conflict", `The CIDR '${cidr}' conflicts with another subnet`);
    }
    const zone = params.text("AvailabilityZone");
    return { subnet: subnetView(subnets.add({ ...thing, vpcId: vpc.id, cidr, zone })) };
  },

  DescribeSubnets: (params, { world }) => ({
    subnetSet: filtered(params, world.subnets.listed, ({ id, vpcId }) => ({
      "subnet-id": [id],
      "vpc-id": [vpcId],
    })).map(subnetView),
  }),

  DeleteSubnet: (params, call) => {
    const { world } = call;
    const subnet = world.subnets.get(params.text("SubnetId"));
    allowOn(call, "DeleteSubnet", subnet);
    const isOn = ({ subnetId }: { readonly subnetId: string }): boolean => subnetId === subnet.id;
    const nowMs = world.clock.now();
    const gateways = world.natGateways.all.filter(({ deletedAtMs = Infinity }) => deletedAtMs > nowMs);
    if ([...world.interfaces.all, ...gateways].some(isOn)) throw dependencyViolation(subnet.id);
    world.subnets.remove(subnet.id);
    for (const table of world.routeTables.all) {
      table.associations = table.associations.filter((association) => !isOn(association));
    }
    return { return: true };
  },
};

function vpcView({ id, arn, cidr, tags }: Vpc): XmlValue {
  const [, , , , ownerId = ""] = arn.split(":");
  return { vpcId: id, ownerId, cidrBlock: cidr, state: "available", tagSet: tagSet(tags) };
}

function subnetView({ id, vpcId, cidr, zone, arn, tags }: Subnet): XmlValue {
  return {
    subnetId: id,
    subnetArn: arn,
    vpcId,
    cidrBlock: cidr,
    availabilityZone: zone,
    state: "available",
    tagSet: tagSet(tags),
  };
}
