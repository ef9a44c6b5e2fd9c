import { contract, oldEtcdTopics } from "./contract.ts";
import { simulatedServerOnOldEtcd } from "./targets/kubesim.ts";

contract(simulatedServerOnOldEtcd, oldEtcdTopics);
