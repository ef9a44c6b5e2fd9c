import type { TypeTable } from "../type-language.ts";

export const discoveryTypes: TypeTable = {
  prefix: "io.k8s.api.discovery.v1",
  source: `
EndpointSlice: A part of the addresses behind a service.
  addressType!: string
  endpoints!~: [Endpoint] atomic
  metadata~: meta.ObjectMeta
  ports~: [EndpointPort] atomic
Endpoint: A backend of the service.
  addresses!: [string] set
  conditions~: EndpointConditions
  hostname*, nodeName*: string
  targetRef: core.ObjectReference
  zone*: string
  deprecatedTopology: {string}
  hints: EndpointHints
  topology: {string}
EndpointHints: Who should use the backend.
  forZones: [ForZone] atomic
ForZone: A zone.
  name!: string
EndpointConditions: Whether the backend can take traffic.
  ready*, serving*, terminating*: bool
EndpointPort: One port.
  appProtocol*: string
  name*: string default("")
  port*: int32
  protocol*: string default(TCP) enum(SCTP, TCP, UDP)
`,
};
