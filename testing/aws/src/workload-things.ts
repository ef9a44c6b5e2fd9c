import type { AwsWorld } from "./world/aws-world.ts";

/**
 * What a Service of type LoadBalancer leaves in the account: `a1b2` is a classic one, `net/web/50dc6c495c0c9188` one of
 * the second version. The function takes the load balancer away, and leaves its group.
 */
export function addLoadBalancer(world: AwsWorld, cluster: string, name: string): () => void {
  const { vpcId, subnetIds } = placeOf(world, cluster);
  const isClassic = !name.includes("/");
  const group = world.newId("sg");
  const tags = isClassic ? ownedBy(cluster) : { "elbv2.k8s.aws/cluster": cluster };
  world.securityGroups.add({
    ...world.thing(group, world.arn("ec2", `security-group/${group}`), tags),
    vpcId,
    name: `k8s-${isClassic ? `elb-${name}` : "traffic"}`,
  });
  const id = world.newId("eni");
  world.interfaces.add({
    ...world.thing(id, world.arn("ec2", `network-interface/${id}`)),
    vpcId,
    subnetId: subnetIds[0] ?? "",
    description: `ELB ${name}`,
    interfaceType: "interface",
    groupIds: [group],
    status: "in-use",
    attachedTo: { instanceOwnerId: "amazon-elb" },
  });
  return () => world.interfaces.remove(id);
}

/** An interface that a node's network plugin has forgotten. */
export function addForgottenInterface(world: AwsWorld, cluster: string): string {
  const { vpcId, subnetIds } = placeOf(world, cluster);
  const id = world.newId("eni");
  world.interfaces.add({
    ...world.thing(id, world.arn("ec2", `network-interface/${id}`), ownedBy(cluster)),
    vpcId,
    subnetId: subnetIds.at(-1) ?? "",
    description: "aws-K8S-i-0123456789abcdef0",
    interfaceType: "interface",
    groupIds: [],
    status: "available",
  });
  return id;
}

/** The disk of a PersistentVolumeClaim; the functions attach it to something or not, and take it away. */
export function addVolume(
  world: AwsWorld,
  cluster: string,
): { readonly arn: string; attach(isAttached: boolean): void; remove(): void } {
  const id = world.newId("vol");
  const arn = world.arn("ec2", `volume/${id}`);
  const volume = world.volumes.add({ ...world.thing(id, arn, ownedBy(cluster)), state: "available" });
  return {
    arn,
    attach: (isAttached) => {
      volume.state = isAttached ? "in-use" : "available";
    },
    remove: () => world.volumes.remove(id),
  };
}

/** Where it stands, or stood: its subnets have its tag. */
function placeOf(
  world: AwsWorld,
  cluster: string,
): { readonly vpcId: string; readonly subnetIds: readonly string[] } {
  const found = world.clusters.peek(cluster);
  if (found !== undefined) return found;
  const subnets = world.subnets.all.filter(
    ({ tags }) => tags[`kubernetes.io/cluster/${cluster}`] === "owned",
  );
  const vpcId = subnets[0]?.vpcId ?? world.vpcs.all[0]?.id ?? "";
  return { vpcId, subnetIds: subnets.map(({ id }) => id) };
}

function ownedBy(cluster: string): Record<string, string> {
  return { [`kubernetes.io/cluster/${cluster}`]: "owned" };
}
