import { contract, simulatedApiServer } from "@bowline/test-contract";

import { gatewayContract } from "./gateway-contract.ts";

contract(simulatedApiServer, { gateways: gatewayContract });
