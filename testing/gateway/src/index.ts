/** What tests of other folders take from here: nothing in this folder imports it. */
/** @public */
export { gatewayDefinitionsFolder } from "./definitions/gateway-definitions.ts";
/** @public */
export { readGatewayDefinitions } from "./definitions/gateway-definitions.ts";
/** @public */
export { whyNoGatewayApi } from "./definitions/gateway-definitions.ts";
/** @public */
export { installDefinitions } from "./definitions/install-definitions.ts";
/** @public */
export { gatewayResources } from "./model/gateway-kinds.ts";
/** @public */
export { ReferenceController } from "./controller/reference-controller.ts";
/** @public */
export { type Behaviour } from "./controller/reference-controller.ts";
/** @public */
export { type ProgrammedGateway } from "./controller/reference-controller.ts";
/** @public */
export { type ReferenceControllerOptions } from "./controller/reference-controller.ts";
/** @public */
export { Nginx } from "./nginx/nginx.ts";
/** @public */
export { type NginxOptions } from "./nginx/nginx.ts";
/** @public */
export type { ResolveBackend } from "./nginx/nginx-config.ts";
/** @public */
export { writeTlsSecret } from "./certificates/tls-secret.ts";
/** @public */
export { certificateDefinition } from "./certificates/certificate-definition.ts";
/** @public */
export { certificates } from "./certificates/certificate-definition.ts";
/** @public */
export { FakeCertManager } from "./certificates/fake-cert-manager.ts";
/** @public */
export { type Issuing } from "./certificates/fake-cert-manager.ts";
/** @public */
export { startDnsServer } from "./dns/dns-server.ts";
/** @public */
export { zoneRecords } from "./dns/dns-server.ts";
/** @public */
export { type DnsRecord } from "./dns/dns-server.ts";
/** @public */
export { type DnsServer } from "./dns/dns-server.ts";
/** @public */
export { FakeExternalDns } from "./dns/fake-external-dns.ts";
/** @public */
export { type FakeExternalDnsOptions } from "./dns/fake-external-dns.ts";
/** @public */
export { DeployedPrograms } from "./controller/deployed-programs.ts";
/** @public */
export { type StartProgram } from "./controller/deployed-programs.ts";
/** @public */
export { deployment, referenceControllerName, serviceManifests } from "./definitions/service-manifests.ts";
/** @public */
export { clusterIssuerDefinition, clusterIssuers } from "./certificates/certificate-definition.ts";
