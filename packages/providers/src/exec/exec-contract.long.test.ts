import { execStage } from "../testing/exec-stage.ts";
import { providerContract } from "../testing/provider-contract.ts";

providerContract("exec", execStage);
