import { apiTopics, contract, kubectlTopics } from "./contract.ts";
import { realApiServer } from "./targets/real.ts";

contract(realApiServer, { ...apiTopics, ...kubectlTopics });
