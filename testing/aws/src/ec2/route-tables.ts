import { AwsFailure } from "../aws-failure.ts";
import type { XmlValue } from "../http/xml.ts";
import type { RouteTable } from "../world/things.ts";
import { allowOn, dependencyViolation, filtered, newThing, tagSet, type Ec2Actions } from "./ec2-action.ts";

export const routeTableActions: Ec2Actions = {
  CreateRouteTable: (params, call) => {
    const { routeTables, vpcs } = call.world;
    const wanted = { action: "CreateRouteTable", type: "route-table", idPrefix: "rtb" };
    const thing = newThing(params, call, wanted);
    const vpc = vpcs.get(params.text("VpcId"));
    allowOn(call, "CreateRouteTable", vpc);
    const clientToken = params.optional("ClientToken");
    const before = routeTables.all.find(
      (each) => clientToken !== undefined && each.clientToken === clientToken,
    );
    const made =
      before ?? routeTables.add({ ...thing, vpcId: vpc.id, clientToken, routes: [], associations: [] });
    return { routeTable: view(made) };
  },

  CreateRoute: (params, call) => {
    const table = call.world.routeTables.get(params.text("RouteTableId"));
    allowOn(call, "CreateRoute", table);
    const destination = params.text("DestinationCidrBlock");
    if (table.routes.some((route) => route.destination === destination)) {
      throw new AwsFailure("RouteAlreadyExists", `The route identified by ${destination} already exists.`);
    }
    table.routes.push({ destination, target: targetOf(params) });
    return { return: true };
  },

  ReplaceRoute: (params, call) => {
    const table = call.world.routeTables.get(params.text("RouteTableId"));
    allowOn(call, "ReplaceRoute", table);
    const destination = params.text("DestinationCidrBlock");
    const others = table.routes.filter((route) => route.destination !== destination);
    table.routes = [...others, { destination, target: targetOf(params) }];
    return { return: true };
  },

  AssociateRouteTable: (params, call) => {
    const table = call.world.routeTables.get(params.text("RouteTableId"));
    const subnet = call.world.subnets.get(params.text("SubnetId"));
    allowOn(call, "AssociateRouteTable", table);
    allowOn(call, "AssociateRouteTable", subnet);
    const other = call.world.routeTables.all
      .flatMap(({ associations }) => associations)
      .find(({ subnetId }) => subnetId === subnet.id);
    if (other !== undefined && !table.associations.includes(other)) {
      throw new AwsFailure("Resource.AlreadyAssociated", `${subnet.id} has another route table`);
    }
    const association = other ?? { id: call.world.newId("rtbassoc"), subnetId: subnet.id };
    if (other === undefined) table.associations.push(association);
    return { associationId: association.id };
  },

  DisassociateRouteTable: (params, call) => {
    const id = params.text("AssociationId");
    const table = call.world.routeTables.all.find(({ associations }) =>
      associations.some((association) => association.id === id),
    );
    if (table === undefined) {
      throw new AwsFailure("InvalidAssociationID.NotFound", `The association ID '${id}' does not exist`);
    }
    allowOn(call, "DisassociateRouteTable", table);
    table.associations = table.associations.filter((association) => association.id !== id);
    return { return: true };
  },

  DescribeRouteTables: (params, { world }) => ({
    routeTableSet: filtered(params, world.routeTables.listed, ({ id, vpcId }) => ({
      "route-table-id": [id],
      "vpc-id": [vpcId],
    })).map(view),
  }),

  DeleteRouteTable: (params, call) => {
    const table = call.world.routeTables.get(params.text("RouteTableId"));
    allowOn(call, "DeleteRouteTable", table);
    if (table.associations.length > 0) throw dependencyViolation(table.id);
    call.world.routeTables.remove(table.id);
    return { return: true };
  },
};

function targetOf(params: { optional(name: string): string | undefined }): string {
  return params.optional("NatGatewayId") ?? params.optional("GatewayId") ?? "";
}

function view({ id, vpcId, routes, associations, tags }: RouteTable): XmlValue {
  return {
    routeTableId: id,
    vpcId,
    routeSet: routes.map(({ destination, target }) => ({
      destinationCidrBlock: destination,
      [target.startsWith("nat-") ? "natGatewayId" : "gatewayId"]: target,
      state: "active",
    })),
    associationSet: associations.map((association) => ({
      routeTableAssociationId: association.id,
      routeTableId: id,
      subnetId: association.subnetId,
      main: false,
    })),
    tagSet: tagSet(tags),
  };
}
