import { discoveryTypes } from "../../schema/types/discovery.ts";
import type { NumberTable } from "../field-numbers.ts";

export const discoveryNumbers: NumberTable = {
  prefix: discoveryTypes.prefix,
  source: `
EndpointSlice: metadata endpoints ports addressType
Endpoint: addresses conditions hostname targetRef deprecatedTopology nodeName zone hints
EndpointHints: forZones
ForZone: name
EndpointConditions: ready serving terminating
EndpointPort: name protocol port appProtocol
`,
};

export const discoveryV1beta1Numbers: NumberTable = {
  prefix: discoveryTypes.prefix,
  source: `
Endpoint: addresses conditions hostname targetRef topology nodeName hints
`,
};
