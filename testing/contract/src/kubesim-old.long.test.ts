import { apiTopics, contract } from "./contract.ts";
import { simulatedOldApiServer } from "./targets/kubesim.ts";

contract(simulatedOldApiServer, apiTopics);
