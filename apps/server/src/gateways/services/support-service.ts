import { derivedName } from "@bowline/api";

/**
 * - implementation: what answers for a GatewayClass
 * - cert-manager: gives certificates
 * - external-dns: writes DNS records
 */
type ServiceType = "implementation" | "cert-manager" | "external-dns";

/** What Gateways need in a cluster beside themselves. */
export interface SupportService {
  readonly cluster: string;
  readonly type: ServiceType;
  /** The GatewayClass of an implementation. */
  readonly class?: string;
}

/** The WorkloadDefinitions that an admin has named; nothing else is ever installed. */
export interface ServiceDefinitions {
  /** By GatewayClass; the first is for Gateways that name none. */
  readonly implementations?: Readonly<Record<string, string>> | undefined;
  readonly certManager?: string | undefined;
  readonly externalDns?: string | undefined;
}

/** The value of the label `madeForGateways`, on the WorkloadInstances of services. */
export const serviceLabel = "service";

/** The WorkloadInstance of a service. */
export function serviceName(service: SupportService): string {
  return derivedName(`bowline-support-${service.type}-${service.cluster}`, identityOf(service));
}

/** The WorkloadDefinition and the WorkloadInstance with the namespace of a service. */
export function namespaceName(service: SupportService): string {
  return derivedName(`bowline-support-namespace-${service.cluster}`, `${identityOf(service)}/namespace`);
}

/** The namespace that a service has for itself, as far as its definition names no other. */
export function serviceNamespace({ type, class: className = "" }: SupportService): string {
  return derivedName(`bowline-support-${type}`, `${type}/${className}`);
}

function identityOf({ cluster, type, class: className = "" }: SupportService): string {
  return `${cluster}/${type}/${className}`;
}

/** In sentences. */
export function serviceTitle({ type, class: className }: SupportService): string {
  return type === "implementation" ? `The implementation of GatewayClass ${className}` : type;
}

export function definitionFor(
  { type, class: className = "" }: SupportService,
  { implementations = {}, certManager, externalDns }: ServiceDefinitions,
): string | undefined {
  if (type === "cert-manager") return certManager;
  if (type === "external-dns") return externalDns;
  return Object.hasOwn(implementations, className) ? implementations[className] : undefined;
}

const noteOfType = "bowline.dev/support-service";
const noteOfClass = "bowline.dev/class";

/** On CustomResourceDefinitions that a service of ours has brought; they stay when it goes, and serve nobody then. */
export const broughtBy = "bowline.dev/brought-by";

/** By these the WorkloadInstance of a service tells what it is. */
export function serviceNotes({ type, class: className }: SupportService): Record<string, string> {
  return { [noteOfType]: type, ...(className === undefined ? {} : { [noteOfClass]: className }) };
}

/** The service that a WorkloadInstance of ours is there for. */
export function serviceOf(
  cluster: string,
  annotations: Readonly<Record<string, string>>,
): SupportService | undefined {
  const type = annotations[noteOfType];
  if (type === "cert-manager" || type === "external-dns") return { cluster, type };
  const className = annotations[noteOfClass];
  return type === "implementation" && className !== undefined
    ? { cluster, type, class: className }
    : undefined;
}
