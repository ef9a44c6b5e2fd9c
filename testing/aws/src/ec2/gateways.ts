import type { ApiCall } from "../api-call.ts";
import { AwsFailure } from "../aws-failure.ts";
import type { XmlValue } from "../http/xml.ts";
import type { Address, InternetGateway, NatGateway } from "../world/things.ts";
import {
  allowOn,
  dependencyViolation,
  endDryRun,
  filtered,
  newThing,
  tagSet,
  type Ec2Actions,
} from "./ec2-action.ts";

/** How long a NAT gateway that was deleted is still seen, as deleted. */
const seenDeletedMs = 3_600_000;

export const gatewayActions: Ec2Actions = {
  CreateInternetGateway: (params, call) => {
    const wanted = { action: "CreateInternetGateway", type: "internet-gateway", idPrefix: "igw" };
    const thing = newThing(params, call, wanted);
    endDryRun(params);
    const made = call.world.internetGateways.add({ ...thing, vpcId: undefined });
    return { internetGateway: internetGatewayView(made) };
  },

  AttachInternetGateway: (params, call) => {
    const { gateway, vpc } = gatewayAndVpc("AttachInternetGateway", call, [
      params.text("InternetGatewayId"),
      params.text("VpcId"),
    ]);
    if (gateway.vpcId !== undefined) {
      throw new AwsFailure("Resource.AlreadyAssociated", `resource ${gateway.id} is already attached`);
    }
    gateway.vpcId = vpc.id;
    return { return: true };
  },

  DetachInternetGateway: (params, call) => {
    const { gateway, vpc } = gatewayAndVpc("DetachInternetGateway", call, [
      params.text("InternetGatewayId"),
      params.text("VpcId"),
    ]);
    if (gateway.vpcId !== vpc.id) {
      throw new AwsFailure("Gateway.NotAttached", `resource ${gateway.id} is not attached`);
    }
    const nowMs = call.world.clock.now();
    const isHere = (nat: NatGateway): boolean =>
      nat.vpcId === vpc.id && ["pending", "available"].includes(stateOf(nat, nowMs));
    if (call.world.natGateways.all.some(isHere)) throw dependencyViolation(gateway.id);
    gateway.vpcId = undefined;
    return { return: true };
  },

  DescribeInternetGateways: (params, { world }) => ({
    internetGatewaySet: filtered(params, world.internetGateways.listed, ({ id }) => ({
      "internet-gateway-id": [id],
    })).map(internetGatewayView),
  }),

  DeleteInternetGateway: (params, call) => {
    const gateway = call.world.internetGateways.get(params.text("InternetGatewayId"));
    allowOn(call, "DeleteInternetGateway", gateway);
    if (gateway.vpcId !== undefined) throw dependencyViolation(gateway.id);
    call.world.internetGateways.remove(gateway.id);
    return { return: true };
  },

  AllocateAddress: (params, call) => {
    const { addresses, settings } = call.world;
    const thing = newThing(params, call, {
      action: "AllocateAddress",
      type: "elastic-ip",
      idPrefix: "eipalloc",
    });
    endDryRun(params);
    if (addresses.all.length >= settings.quotas.addresses) {
      throw new AwsFailure("AddressLimitExceeded", "The maximum number of addresses has been reached.");
    }
    const made = addresses.add({ ...thing, publicIp: `203.0.113.${addresses.all.length + 1}` });
    return { allocationId: made.id, publicIp: made.publicIp, domain: "vpc" };
  },

  DescribeAddresses: (params, { world }) => ({
    addressesSet: filtered(params, world.addresses.listed, ({ id }) => ({ "allocation-id": [id] })).map(
      addressView,
    ),
  }),

  ReleaseAddress: (params, call) => {
    const address = call.world.addresses.get(params.text("AllocationId"));
    allowOn(call, "ReleaseAddress", address);
    const nowMs = call.world.clock.now();
    const isUsing = (nat: NatGateway): boolean =>
      nat.allocationId === address.id && !["deleted", "failed"].includes(stateOf(nat, nowMs));
    if (call.world.natGateways.all.some(isUsing)) {
      throw new AwsFailure("InvalidIPAddress.InUse", `Address ${address.publicIp} is in use.`);
    }
    call.world.addresses.remove(address.id);
    return { return: true };
  },

  CreateNatGateway: (params, call) => {
    const { natGateways, subnets, addresses, settings, clock } = call.world;
    const thing = newThing(params, call, { action: "CreateNatGateway", type: "natgateway", idPrefix: "nat" });
    const subnet = subnets.get(params.text("SubnetId"));
    const address = addresses.get(params.text("AllocationId"));
    allowOn(call, "CreateNatGateway", subnet);
    allowOn(call, "CreateNatGateway", address);
    endDryRun(params);
    const clientToken = params.optional("ClientToken");
    const before = natGateways.all.find(
      (each) => clientToken !== undefined && each.clientToken === clientToken,
    );
    if (before !== undefined) return { natGateway: natGatewayView(before, clock.now()) };
    if (natGateways.all.length >= settings.quotas.natGateways) {
      throw new AwsFailure("NatGatewayLimitExceeded", "The maximum number of NAT gateways has been reached.");
    }
    const failure = settings.natGatewayFailure;
    settings.natGatewayFailure = undefined;
    const made = natGateways.add({
      ...thing,
      failure,
      vpcId: subnet.vpcId,
      subnetId: subnet.id,
      allocationId: address.id,
      clientToken,
      readyAtMs: clock.now() + settings.times.natGatewayMs,
    });
    addInterface(made, call);
    return { natGateway: natGatewayView(made, clock.now()) };
  },

  DescribeNatGateways: (params, { world }) => ({
    natGatewaySet: filtered(params, world.natGateways.listed, (nat) => ({
      "nat-gateway-id": [nat.id],
      state: [stateOf(nat, world.clock.now())],
    })).map((nat) => natGatewayView(nat, world.clock.now())),
  }),

  DeleteNatGateway: (params, call) => {
    const { natGateways, clock, settings } = call.world;
    const nat = natGateways.get(params.text("NatGatewayId"));
    allowOn(call, "DeleteNatGateway", nat);
    if (nat.deletedAtMs === undefined) {
      nat.deletedAtMs = clock.now() + settings.times.natGatewayGoneMs;
      nat.goneAtMs = nat.deletedAtMs + seenDeletedMs;
      const own = call.world.interfaces.peek(interfaceIdOf(nat));
      if (own !== undefined) own.goneAtMs = nat.deletedAtMs;
    }
    return { natGatewayId: nat.id };
  },
};

function interfaceIdOf({ id }: NatGateway): string {
  return id.replace(/^nat-/u, "eni-");
}

/** It goes with its gateway. */
function addInterface(nat: NatGateway, { world }: ApiCall): void {
  const id = interfaceIdOf(nat);
  world.interfaces.add({
    ...world.thing(id, world.arn("ec2", `network-interface/${id}`)),
    vpcId: nat.vpcId,
    subnetId: nat.subnetId,
    description: `Interface for NAT Gateway ${nat.id}`,
    interfaceType: "nat_gateway",
    groupIds: [],
    status: "in-use",
    attachedTo: { instanceOwnerId: "amazon-aws" },
    ...(nat.failure === undefined ? {} : { goneAtMs: nat.readyAtMs }),
  });
}

function gatewayAndVpc(
  action: string,
  call: ApiCall,
  [gatewayId, vpcId]: readonly [string, string],
): { readonly gateway: InternetGateway; readonly vpc: { readonly id: string } } {
  const gateway = call.world.internetGateways.get(gatewayId);
  const vpc = call.world.vpcs.get(vpcId);
  allowOn(call, action, gateway);
  allowOn(call, action, vpc);
  return { gateway, vpc };
}

function stateOf({ readyAtMs, deletedAtMs, failure }: NatGateway, nowMs: number): string {
  if (deletedAtMs !== undefined) return deletedAtMs <= nowMs ? "deleted" : "deleting";
  if (readyAtMs > nowMs) return "pending";
  return failure === undefined ? "available" : "failed";
}

function internetGatewayView({ id, vpcId, tags }: InternetGateway): XmlValue {
  const attachmentSet = vpcId === undefined ? [] : [{ vpcId, state: "available" }];
  return { internetGatewayId: id, attachmentSet, tagSet: tagSet(tags) };
}

function addressView({ id, publicIp, tags }: Address): XmlValue {
  return { allocationId: id, publicIp, domain: "vpc", tagSet: tagSet(tags) };
}

function natGatewayView(nat: NatGateway, nowMs: number): XmlValue {
  const { id, vpcId, subnetId, allocationId, tags, failure } = nat;
  const state = stateOf(nat, nowMs);
  return {
    natGatewayId: id,
    vpcId,
    subnetId,
    state,
    ...(state === "failed" && failure !== undefined
      ? { failureCode: failure.code, failureMessage: failure.message }
      : {}),
    natGatewayAddressSet: [{ allocationId }],
    tagSet: tagSet(tags),
  };
}
