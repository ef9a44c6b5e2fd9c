import { contract, controllerTopics, kubeletTopics } from "./contract.ts";
import { simulatedCluster } from "./targets/kubesim.ts";

contract(simulatedCluster, { ...controllerTopics, ...kubeletTopics });
