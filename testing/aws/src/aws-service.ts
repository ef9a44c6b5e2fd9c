import { AwsFailure } from "./aws-failure.ts";
import { ApiCall, denied } from "./api-call.ts";
import type { Principals } from "./auth/principals.ts";
import { readSignature, type SignedRequest } from "./auth/signature.ts";
import { gatewayActions } from "./ec2/gateways.ts";
import { leftoverActions } from "./ec2/leftovers.ts";
import { networkActions } from "./ec2/networks.ts";
import { routeTableActions } from "./ec2/route-tables.ts";
import { accessEntryRoutes } from "./eks/access-entries.ts";
import { clusterRoutes } from "./eks/clusters.ts";
import type { EksRoute } from "./eks/eks-action.ts";
import { nodegroupRoutes } from "./eks/nodegroups.ts";
import { updateRoutes } from "./eks/updates.ts";
import { throttled, type AwsFaults } from "./faults.ts";
import { ec2Answer, jsonAnswer, queryAnswer, type WireAnswer } from "./http/answers.ts";
import { Params } from "./http/params.ts";
import { iamActions } from "./iam/iam-actions.ts";
import { route53Operation } from "./route53/route53-operation.ts";
import { stsActions, type AssumableRole } from "./iam/sts-actions.ts";
import type { AwsWorld } from "./world/aws-world.ts";

export interface ServiceParts {
  readonly world: AwsWorld;
  readonly principals: Principals;
  readonly faults: AwsFaults;
  readonly assumableRoles: ReadonlyMap<string, AssumableRole>;
  /** Told of each call, in order. */
  readonly onCall: (action: string) => void;
  /** Real time, as the service has it. */
  readonly serverTimeMs: () => number;
}

const ec2Actions = { ...networkActions, ...gatewayActions, ...routeTableActions, ...leftoverActions };
const eksRoutes = [...clusterRoutes, ...nodegroupRoutes, ...accessEntryRoutes, ...updateRoutes];

interface Operation {
  readonly action: string;
  readonly run: (call: ApiCall) => WireAnswer;
}

/** Undefined when the answer is to be lost. */
export function serve(request: SignedRequest, parts: ServiceParts): WireAnswer | undefined {
  const signature = readSignature(request);
  const principal = parts.principals.identify(signature, parts.serverTimeMs());
  const service = signature?.service ?? "";
  const { action, run } = operationOf(service, request, parts);
  const name = `${service}:${action}`;
  parts.onCall(name);
  const fault = parts.faults.take(name);
  const isInTime = service !== "route53" || parts.world.takeRoute53Call();
  if (fault?.kind === "throttle" || !isInTime) throw throttled(service);
  if (fault?.kind === "error") throw new AwsFailure("InternalError", "An internal error has occurred", 500);
  if (fault?.kind === "deny") throw denied(principal, name);
  if (fault?.kind === "refuse") throw new AwsFailure(fault.code, fault.message);
  const answer = run(new ApiCall(parts.world, parts.principals, principal));
  return fault?.kind === "lose-answer" ? undefined : answer;
}

function operationOf(service: string, request: SignedRequest, parts: ServiceParts): Operation {
  if (service === "eks") return eksOperation(request);
  if (service === "route53") return route53Operation(request);
  const text = request.method === "GET" ? request.query.toString() : request.body.toString("utf8");
  const params = Params.parse(text);
  const action = params.text("Action");
  if (service === "ec2") {
    const found = ec2Actions[action];
    if (found !== undefined) return { action, run: (call) => ec2Answer(action, found(params, call)) };
  }
  const found = { sts: stsActions(parts.assumableRoles), iam: iamActions }[service]?.[action];
  if (found !== undefined) return { action, run: (call) => queryAnswer(action, found(params, call)) };
  throw new AwsFailure("InvalidAction", `This fake of AWS does not know ${service}:${action}.`);
}

function eksOperation({ method, path, query, body }: SignedRequest): Operation {
  for (const route of eksRoutes) {
    const names = route.method === method ? namesIn(route, path) : undefined;
    if (names === undefined) continue;
    return {
      action: route.action,
      run: (call) => {
        const text = body.toString("utf8");
        const parsed: Record<string, unknown> = text === "" ? {} : JSON.parse(text);
        return jsonAnswer(200, route.answer({ names, body: parsed, query }, call));
      },
    };
  }
  throw new AwsFailure("InvalidAction", `This fake of AWS does not know ${method} ${path} of eks.`, 404);
}

function namesIn({ path: pattern }: EksRoute, path: string): string[] | undefined {
  const parts = path.split("/");
  const patterns = pattern.split("/");
  if (parts.length !== patterns.length) return undefined;
  if (!patterns.every((each, at) => each === "*" || each === parts[at])) return undefined;
  return parts.filter((_, at) => patterns[at] === "*").map((part) => decodeURIComponent(part));
}
