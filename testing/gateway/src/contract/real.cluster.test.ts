import { contract, realApiServer } from "@bowline/test-contract";

import { gatewayContract } from "./gateway-contract.ts";

contract(realApiServer, { gateways: gatewayContract });
