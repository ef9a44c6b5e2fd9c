import type { BowlineError } from "@bowline/core";
import { resources, type KubeClient, type KubeObject, type ResourceRef } from "@bowline/kube";
import type { Condition } from "@bowline/runtime";
import { sandbox, uniqueName, untilIs, type RunningTarget } from "@bowline/test-contract";
import { onTestFinished } from "vitest";

import { ReferenceController, type ReferenceControllerOptions } from "../controller/reference-controller.ts";
import { gatewayDefinitionsFolder, readGatewayDefinitions } from "../definitions/gateway-definitions.ts";
import { installDefinitions } from "../definitions/install-definitions.ts";
import {
  gatewayResources,
  type Gateway,
  type HttpRoute,
  type Listener,
  type RouteParentStatus,
} from "../model/gateway-kinds.ts";
import { gateway, gatewayClass, httpRoute, service } from "../model/gateway-objects.ts";

/** Where one test works: a namespace, a class and a controller of its own. */
export interface Stage {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly className: string;
  readonly controllerName: string;
  readonly controller: ReferenceController;
  readonly errors: BowlineError[];
  gateway(name: string, listeners?: Listener[], spec?: Partial<Gateway["spec"]>): Promise<Gateway>;
  route(name: string, spec: Parameters<typeof httpRoute>[1], namespace?: string): Promise<HttpRoute>;
  service(name: string): Promise<void>;
  /** Follows an object of this namespace until it is as wanted. */
  until<T extends KubeObject>(
    resource: ResourceRef,
    name: string,
    isAsWanted: (object: T) => boolean,
  ): Promise<T>;
}

export async function installGatewayApi(client: KubeClient): Promise<void> {
  const { path } = gatewayDefinitionsFolder();
  if (path !== undefined) await installDefinitions(client, await readGatewayDefinitions(path));
}

export async function openStage(
  cluster: RunningTarget,
  options: Partial<ReferenceControllerOptions> = {},
): Promise<Stage> {
  const { client, namespace } = await sandbox(cluster);
  const className = uniqueName("class");
  const controllerName = `example.com/${className}`;
  const errors: BowlineError[] = [];
  await client.create(gatewayResources.gatewayClasses, gatewayClass(className, controllerName));
  const controller = ReferenceController.start({
    client,
    controllerName,
    addresses: ["192.0.2.1", "192.0.2.2", "192.0.2.3"],
    onError: (error) => errors.push(error),
    ...options,
  });
  onTestFinished(() => controller.stop());
  return {
    client,
    namespace,
    className,
    controllerName,
    controller,
    errors,
    gateway: (name, listeners, spec = {}) =>
      client.create(
        gatewayResources.gateways,
        gateway(
          { name, namespace },
          { gatewayClassName: className, ...(listeners === undefined ? {} : { listeners }), ...spec },
        ),
      ),
    route: (name, spec, routeNamespace = namespace) =>
      client.create(gatewayResources.httpRoutes, httpRoute({ name, namespace: routeNamespace }, spec)),
    service: async (name) => void (await client.create(resources.services, service({ name, namespace }))),
    until: (resource, name, isAsWanted) => untilIs({ client, resource, namespace, name }, isAsWanted),
  };
}

interface Conditioned {
  readonly conditions?: readonly Condition[];
}

/** `True`, `False` or `Unknown` with the reason, as tests want to read it: `False: BackendNotFound`. */
export function stateOf(status: Conditioned | undefined, type: string): string | undefined {
  const condition = status?.conditions?.find((each) => each.type === type);
  return condition === undefined ? undefined : `${condition.status}: ${condition.reason}`;
}

export function isProgrammed({ status }: Gateway): boolean {
  return stateOf(status, "Programmed") === "True: Programmed";
}

export function listenerOf({ status }: Gateway, name: string): Conditioned & { attachedRoutes?: number } {
  return status?.listeners?.find((each) => each.name === name) ?? {};
}

/** What this stage's controller says of a route at its first parent. */
export function parentOf({ status }: HttpRoute, stage: Stage): RouteParentStatus | undefined {
  return status?.parents?.find((each) => each.controllerName === stage.controllerName);
}
