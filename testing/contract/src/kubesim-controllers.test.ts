import { contract, controllerTopics } from "./contract.ts";
import { simulatedCluster } from "./targets/kubesim.ts";

contract(simulatedCluster, controllerTopics);
