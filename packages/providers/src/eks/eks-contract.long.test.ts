import { providerContract } from "../testing/provider-contract.ts";
import { eksStage } from "./testing/eks-stage.ts";

providerContract("eks", eksStage());
