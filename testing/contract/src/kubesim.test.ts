import { apiTopics, contract, kubectlTopics } from "./contract.ts";
import { simulatedApiServer } from "./targets/kubesim.ts";

contract(simulatedApiServer, { ...apiTopics, ...kubectlTopics });
