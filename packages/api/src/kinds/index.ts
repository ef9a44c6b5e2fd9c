import type { Kind } from "../kind/kind.ts";
import { AccessGrant } from "./access-grant.ts";
import { Cluster } from "./cluster.ts";
import { Credential } from "./credential.ts";
import { Token } from "./token.ts";
import { User } from "./user.ts";
import { WorkloadDefinition } from "./workload-definition.ts";
import { WorkloadInstance } from "./workload-instance.ts";

/** Every kind of the API, in the order in which documents and help list them. */
export const kinds: readonly Kind[] = [
  Cluster,
  WorkloadDefinition,
  WorkloadInstance,
  Credential,
  AccessGrant,
  User,
  Token,
];
