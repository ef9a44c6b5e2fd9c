import { AwsFailure } from "../aws-failure.ts";
import type { NetworkInterface, SecurityGroup, Volume } from "../world/things.ts";
import { allowOn, dependencyViolation, filtered, tagSet, type Ec2Actions } from "./ec2-action.ts";
import type { XmlValue } from "../http/xml.ts";

/** What workloads leave behind, and the account itself: things that nobody makes through this API here. */
export const leftoverActions: Ec2Actions = {
  DescribeNetworkInterfaces: (params, { world }) => ({
    networkInterfaceSet: filtered(params, world.interfaces.listed, (each) => ({
      "network-interface-id": [each.id],
      "vpc-id": [each.vpcId],
      "group-id": each.groupIds,
      status: [each.status],
    })).map(interfaceView),
  }),

  DeleteNetworkInterface: (params, call) => {
    const found = call.world.interfaces.get(params.text("NetworkInterfaceId"));
    allowOn(call, "DeleteNetworkInterface", found);
    if (found.status === "in-use") {
      throw new AwsFailure("InvalidParameterValue", `Network interface '${found.id}' is currently in use.`);
    }
    call.world.interfaces.remove(found.id);
    return { return: true };
  },

  DescribeSecurityGroups: (params, { world }) => ({
    securityGroupInfo: filtered(
      params,
      world.securityGroups.listed,
      ({ id, vpcId, name, refersTo = [] }) => ({
        "group-id": [id],
        "ip-permission.group-id": refersTo,
        "egress.ip-permission.group-id": [],
        "group-name": [name],
        "vpc-id": [vpcId],
      }),
    ).map(groupView),
  }),

  DeleteSecurityGroup: (params, call) => {
    const group = call.world.securityGroups.get(params.text("GroupId"));
    allowOn(call, "DeleteSecurityGroup", group);
    const isUsed = call.world.interfaces.all.some(({ groupIds }) => groupIds.includes(group.id));
    const isNamed = ({ id, refersTo = [] }: SecurityGroup): boolean =>
      id !== group.id && refersTo.includes(group.id);
    if (isUsed || call.world.securityGroups.all.some(isNamed)) throw dependencyViolation(group.id);
    call.world.securityGroups.remove(group.id);
    return { return: true };
  },

  DescribeVolumes: (params, { world }) => ({
    volumeSet: filtered(params, world.volumes.listed, ({ id, state }) => ({
      "volume-id": [id],
      status: [state],
    })).map(volumeView),
  }),

  DeleteVolume: (params, call) => {
    const volume = call.world.volumes.get(params.text("VolumeId"));
    allowOn(call, "DeleteVolume", volume);
    if (volume.state === "in-use") throw new AwsFailure("VolumeInUse", `${volume.id} is currently attached.`);
    call.world.volumes.remove(volume.id);
    return { return: true };
  },

  DescribeTags: (params, { world }) => {
    const rows = world.taggedThings.flatMap(({ type, things }) =>
      things.flatMap((thing) =>
        Object.entries(thing.tags).map(([key, value]) => ({ ...thing, key, value, type })),
      ),
    );
    const found = filtered(params, rows, ({ id, key, value, type }) => ({
      key: [key],
      value: [value],
      "resource-id": [id],
      "resource-type": [type],
    }));
    return {
      tagSet: found.map(({ id, type, key, value }) => ({ resourceId: id, resourceType: type, key, value })),
    };
  },

  DescribeAvailabilityZones: (_params, { world }) => ({
    availabilityZoneInfo: world.settings.zones.map((zoneName) => ({
      zoneName,
      zoneState: "available",
      zoneType: "availability-zone",
      regionName: world.region,
    })),
  }),

  DescribeInstanceTypeOfferings: (params, { world }) => {
    const wanted = params
      .structures("Filter")
      .filter((each) => each.text("Name") === "instance-type")
      .flatMap((each) => each.texts("Value"));
    const { zones, missingOfferings } = world.settings;
    return {
      instanceTypeOfferingSet: wanted.flatMap((instanceType) =>
        zones
          .filter((zone) => missingOfferings[zone]?.includes(instanceType) !== true)
          .map((location) => ({ instanceType, locationType: "availability-zone", location })),
      ),
    };
  },

  DescribeAccountAttributes: (_params, { world }) => ({
    accountAttributeSet: [
      {
        attributeName: "vpc-max-elastic-ips",
        attributeValueSet: [{ attributeValue: world.settings.quotas.addresses }],
      },
    ],
  }),
};

function interfaceView(each: NetworkInterface): XmlValue {
  return {
    networkInterfaceId: each.id,
    vpcId: each.vpcId,
    subnetId: each.subnetId,
    description: each.description,
    interfaceType: each.interfaceType,
    status: each.status,
    ...(each.attachedTo === undefined ? {} : { attachment: { ...each.attachedTo, status: "attached" } }),
    groupSet: each.groupIds.map((groupId) => ({ groupId })),
    tagSet: tagSet(each.tags),
  };
}

function groupView({ id, vpcId, name, tags }: SecurityGroup): XmlValue {
  return { groupId: id, groupName: name, vpcId, tagSet: tagSet(tags) };
}

function volumeView({ id, state, tags }: Volume): XmlValue {
  return { volumeId: id, status: state, tagSet: tagSet(tags) };
}
