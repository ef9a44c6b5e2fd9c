import {
  awsNameOf,
  balancerTag,
  boundaryName,
  clusterTag,
  interfaceTag,
  nameTag,
  ownedTagOf,
} from "../names.ts";

interface PolicyStatement {
  readonly Sid: string;
  readonly Effect: "Allow";
  readonly Action: readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

interface PolicyDocument {
  readonly Version: "2012-10-17";
  readonly Statement: readonly PolicyStatement[];
}

interface PolicySubject {
  /** Of the Cluster. */
  readonly name: string;
  /** Of its object, which is known when that exists; with it the policy is for this one and no other of the name. */
  readonly id?: string;
  /** Whether the volumes of its workloads may be deleted as well, with the id. */
  readonly deletesVolumes?: boolean;
}

// With any partition: an account is in one only, and the same policy holds in all of them.
const ec2 = (...types: readonly string[]): string[] => types.map((type) => `arn:*:ec2:*:*:${type}/*`);
const network = ec2("vpc", "subnet", "internet-gateway", "elastic-ip", "natgateway", "route-table");
const creations = [
  "CreateVpc",
  "CreateSubnet",
  "CreateInternetGateway",
  "AllocateAddress",
  "CreateNatGateway",
  "CreateRouteTable",
] as const;

/** The least that makes, changes and deletes this one cluster: what carries its tags, and nothing else. */
export function eksPolicy({ name, id, deletesVolumes = false }: PolicySubject): PolicyDocument {
  const cut = awsNameOf({ id: id ?? "", name });
  // Without the id its last letters are not known.
  const awsName = id === undefined ? `${cut}*` : cut;
  const tags = { [nameTag]: name, ...(id === undefined ? {} : { [clusterTag]: id }) };
  const onTags = (kind: "Request" | "Resource"): Record<string, string> =>
    Object.fromEntries(Object.entries(tags).map(([key, value]) => [`aws:${kind}Tag/${key}`, value]));
  // Whatever the id is, there is one.
  const hasId: PolicyStatement["Condition"] =
    id === undefined ? { Null: { [`aws:RequestTag/${clusterTag}`]: "false" } } : {};
  // Enough, as no two clusters have the same: there is no room for more.
  const ofId = { [`aws:RequestTag/${clusterTag}`]: id ?? "" };
  const wanted = { ...hasId, StringEquals: onTags("Request") };
  const own = { StringEquals: onTags("Resource") };
  const eks = ["cluster", "nodegroup", "access-entry"].map((type) =>
    type === "cluster" ? `arn:*:eks:*:*:cluster/${awsName}` : `arn:*:eks:*:*:${type}/${awsName}/*`,
  );
  const roles = ["cluster", "node"].map((kind) => `arn:*:iam::*:role/${awsName}-${kind}`);
  const boundary = { "iam:PermissionsBoundary": `arn:*:iam::*:policy/${boundaryName}` };
  return {
    Version: "2012-10-17",
    Statement: [
      allow("Look", [...looks], "*"),
      // Actions of several services, as a policy may have 6144 letters and no more: each is for things of its own only.
      allow(
        "Make",
        [...creations.map((action) => `ec2:${action}`), "eks:TagResource", "iam:TagRole"],
        [...network, ...eks, ...roles],
        wanted,
      ),
      // AWS lists no resource for this one, and wants it allowed on any: it is bound by its tags.
      allow("MakeCluster", ["eks:CreateCluster"], "*", id === undefined ? wanted : { StringEquals: ofId }),
      allow("TagWhatIsMade", ["ec2:CreateTags"], network, {
        ...wanted,
        StringEquals: { ...wanted.StringEquals, "ec2:CreateAction": creations },
      }),
      // To make a thing in another one is a change of that.
      allow(
        "Change",
        [
          ...changes.map((action) => `ec2:${action}`),
          ...clusterChanges.map((action) => `eks:${action}`),
          "iam:DeleteRole",
        ],
        [...network, ...eks, ...roles],
        own,
      ),
      ...(id === undefined
        ? []
        : [
            allow(
              "WorkloadsLeft",
              [
                "ec2:DeleteNetworkInterface",
                "ec2:DeleteSecurityGroup",
                ...(deletesVolumes ? ["ec2:DeleteVolume"] : []),
              ],
              ec2("network-interface", "security-group", ...(deletesVolumes ? ["volume"] : [])),
              { StringEquals: { [`aws:ResourceTag/${ownedTagOf(awsName)}`]: "owned" } },
            ),
            // Neither of these has the tag of the others.
            allow("NodesLeft", ["ec2:DeleteNetworkInterface"], ec2("network-interface"), {
              StringEquals: { [`aws:ResourceTag/${interfaceTag}`]: awsName },
            }),
            allow("BalancersLeft", ["ec2:DeleteSecurityGroup"], ec2("security-group"), {
              StringEquals: { [`aws:ResourceTag/${balancerTag}`]: awsName },
            }),
          ]),
      allow("MakeRoles", ["iam:CreateRole"], roles, { ...wanted, ArnLike: boundary }),
      allow("ChangeRoles", ["iam:AttachRolePolicy", "iam:DetachRolePolicy"], roles, {
        ArnLike: { ...boundary, "iam:PolicyARN": managedPolicies },
      }),
      allow("GiveRoles", ["iam:PassRole"], roles, {
        StringEquals: {
          "iam:PassedToService": ["eks.amazonaws.com", "ec2.amazonaws.com", "ec2.amazonaws.com.cn"],
        },
      }),
      allow("FirstCluster", ["iam:CreateServiceLinkedRole"], "arn:*:iam::*:role/aws-service-role/*", {
        StringEquals: { "iam:AWSServiceName": ["eks.amazonaws.com", "eks-nodegroup.amazonaws.com"] },
      }),
    ],
  };
}

/** What the roles of clusters may do at most, whatever policies they have: nothing with identities. */
export function eksBoundary(): PolicyDocument {
  return {
    Version: "2012-10-17",
    Statement: [
      allow(
        "WhatControlPlanesAndNodesDo",
        [
          "autoscaling:Describe*",
          "autoscaling:UpdateAutoScalingGroup",
          "ec2:*",
          "ecr:BatchCheckLayerAvailability",
          "ecr:BatchGetImage",
          "ecr:BatchImportUpstreamImage",
          "ecr:GetAuthorizationToken",
          "ecr:GetDownloadUrlForLayer",
          "eks:DescribeCluster",
          "eks-auth:AssumeRoleForPodIdentity",
          "elasticloadbalancing:*",
          "kms:DescribeKey",
        ],
        "*",
      ),
      allow("FirstLoadBalancerOfAnAccount", ["iam:CreateServiceLinkedRole"], "*", {
        StringEquals: { "iam:AWSServiceName": "elasticloadbalancing.amazonaws.com" },
      }),
    ],
  };
}

const looks = [
  "ec2:Describe*",
  "eks:Describe*",
  "eks:List*",
  "iam:GetPolicy",
  "iam:GetRole",
  "iam:ListAttachedRolePolicies",
  "iam:ListRoleTags",
  "iam:ListRoles",
  "sts:GetCallerIdentity",
] as const;

const changes = [
  "AssociateRouteTable",
  "AttachInternetGateway",
  "CreateNatGateway",
  "CreateRoute",
  "CreateRouteTable",
  "CreateSubnet",
  "DeleteInternetGateway",
  "DeleteNatGateway",
  "DeleteRouteTable",
  "DeleteSubnet",
  "DeleteVpc",
  "DetachInternetGateway",
  "DisassociateRouteTable",
  "ModifyVpcAttribute",
  "ReleaseAddress",
  "ReplaceRoute",
] as const;

const clusterChanges = [
  "AssociateAccessPolicy",
  "CreateAccessEntry",
  "CreateNodegroup",
  "DeleteAccessEntry",
  "DeleteCluster",
  "DeleteNodegroup",
  "DisassociateAccessPolicy",
  "UpdateClusterVersion",
  "UpdateNodegroupConfig",
  "UpdateNodegroupVersion",
] as const;

const managedPolicies = [
  "arn:*:iam::aws:policy/AmazonEKSClusterPolicy",
  "arn:*:iam::aws:policy/AmazonEKSWorkerNodePolicy",
  "arn:*:iam::aws:policy/AmazonEKS_CNI_Policy",
  "arn:*:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly",
] as const;

function allow(
  Sid: string,
  Action: readonly string[],
  Resource: string | readonly string[],
  Condition?: PolicyStatement["Condition"],
): PolicyStatement {
  return { Sid, Effect: "Allow", Action, Resource, ...(Condition === undefined ? {} : { Condition }) };
}
