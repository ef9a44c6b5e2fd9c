import { contract, controllerTopics } from "./contract.ts";
import { realControlPlane } from "./targets/real.ts";

contract(realControlPlane, controllerTopics);
