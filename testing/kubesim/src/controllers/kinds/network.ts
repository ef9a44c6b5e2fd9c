import type { SimObject } from "../../store/sim-api.ts";
import type { ObjectReference } from "./meta.ts";

export interface Service extends SimObject {
  spec: {
    selector?: Record<string, string>;
    ports?: ServicePort[];
    type?: string;
    clusterIP?: string;
    publishNotReadyAddresses?: boolean;
  };
}

export interface ServicePort {
  name?: string;
  port: number;
  targetPort?: number | string;
  protocol?: string;
}

export interface Endpoints extends SimObject {
  subsets?: EndpointSubset[];
}

export interface EndpointSubset {
  addresses?: EndpointAddress[];
  notReadyAddresses?: EndpointAddress[];
  ports?: EndpointPort[];
}

export interface EndpointAddress {
  ip: string;
  hostname?: string;
  nodeName?: string;
  targetRef?: ObjectReference;
}

export interface EndpointPort {
  name?: string;
  port: number;
  protocol: string;
}

export interface EndpointSlice extends SimObject {
  addressType: "IPv4";
  /** Null stands for none. */
  endpoints: SliceEndpoint[] | null;
  ports?: EndpointPort[] | null;
}

export interface SliceEndpoint {
  addresses: string[];
  conditions: { ready: boolean; serving?: boolean; terminating?: boolean };
  hostname?: string;
  nodeName?: string;
  zone?: string;
  targetRef?: ObjectReference;
}
